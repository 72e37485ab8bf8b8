import { derive, SecretKey } from "#src/access/SecretKey.ts"
import { endpoints } from "#test/fuzz/Endpoints.ts"
import { bodies } from "#test/isolation/Bodies.ts"
import * as Client from "#test/isolation/Client.ts"
import * as World from "#test/isolation/World.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { freePort } from "#test/support/CrashProcess.ts"
import { ready, serve } from "#test/support/MainProcess.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const secret = "isolationisolationisolationisolationisolation"
const secretKey = Buffer.alloc(32, "isolation")
const otherKey = "pk_prod_another-workspace-another-workspace-another"

/** The callers of one server: the owner of a world, and those to whom it must not exist. */
class Callers extends Context.Service<Callers, {
  readonly owner: Client.Client
  readonly foreign: Readonly<Record<"another environment" | "another workspace", Client.Client>>
}>()("test/Callers") {}

/** A second workspace, as the database holds one. */
const addWorkspace = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const pepper = derive(SecretKey.of({ bytes: Redacted.make(new Uint8Array(secretKey)) }), "api-keys/digest")
  const digest = createHmac("sha256", pepper).update(otherKey).digest("hex")
  yield* sql`insert into scopes values (3, 'other', 'production'), (4, 'other', 'test')`
  yield* sql`insert into api_keys (digest, scope, state, created_at) values (${digest}, 3, 'published', 0)`
})

const callers = Layer.effect(
  Callers,
  Effect.gen(function*() {
    const database = yield* FreshDatabase.url
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "tidings-isolation-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const [port, clusterPort] = yield* Effect.promise(() => Promise.all([freePort(), freePort()]))
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        serve("node", port, {
          DATABASE_URL: Redacted.value(database),
          TIDINGS_CLUSTER_PORT: String(clusterPort),
          TIDINGS_DATA_DIR: directory,
          TIDINGS_SECRET_KEY: secretKey.toString("base64"),
          // Each of the routes makes a world of its own, and it is not their number that is tested.
          TIDINGS_RATE_LIMITS: "list-subscriptions=0,lists=0,brands=0",
          TIDINGS_BOOTSTRAP_SECRET: secret
        })
      ),
      ({ kill }) => Effect.promise(kill)
    )
    yield* Effect.promise(() => ready(server, port))
    yield* addWorkspace.pipe(Effect.provide(FreshDatabase.node(database)))
    return Callers.of({
      owner: Client.make(port, `pk_prod_${secret}`),
      foreign: {
        "another environment": Client.make(port, `pk_test_${secret}`),
        "another workspace": Client.make(port, otherKey)
      }
    })
  })
)

/** A path's parameters filled in; `undefined` for one that no world has. */
const filled = (path: string, idOf: (key: string) => string | undefined): string | undefined => {
  const parts = path.split("/")
  const found = parts.map((part, index) => part.startsWith(":") ? idOf(`${parts[index - 1]}/${part}`) : part)
  return found.includes(undefined) ? undefined : found.map((part) => encodeURIComponent(part ?? "")).join("/")
}

/** An id of the same form that nobody has. */
const nobodys = (id: string): string =>
  id.replace(/^1-.*/, "1-65000000-00000000000000000000000f").replace(/mk(\d+)mk$/, "no$1no")
    .replace(/^([a-z]+_).*/, "$100000000000000000000000000")

/** A reply without what differs from call to call. */
const plain = ({ status, text }: Client.Reply, ids: ReadonlyArray<string>) => ({
  status,
  text: ids.reduce((rest, id) => rest.replaceAll(JSON.stringify(id).slice(1, -1), "<id>"), text)
    .replaceAll(/\b\d{13}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|1-[0-9a-f]{8}-[0-9a-f]{24}|\b[a-z]{2,3}_[0-9a-z]{26}\b/g, "<made>")
})

/** Singles and lists of the owner, which nothing foreign may change. */
const looks = endpoints.filter(({ method }) => method === "GET")

layer(callers, { timeout: 60_000, excludeTestServices: true })(
  "P10: what one caller owns does not exist for another",
  (it) => {
    it.effect("every endpoint with a body has one here", () =>
      Effect.sync(() => {
        const wanted = endpoints.filter(({ payloads }) => payloads.length > 0).map(({ method, path }) =>
          `${method} ${path}`
        )
        assert.sameMembers(Object.keys(bodies), wanted)
      }))

    for (const [index, { method, path }] of endpoints.entries()) {
      it.effect(`${method} ${path}`, () =>
        Effect.gen(function*() {
          const { foreign, owner } = yield* Callers
          const marker = `mk${index}mk`
          const ids = yield* World.make(owner, marker)
          const own = filled(path, (key) => ids[key])
          assert.isDefined(own, "a route whose parameter no world has")
          const unknown = filled(path, (key) => ids[key] === undefined ? undefined : nobodys(ids[key])) ?? ""
          const bodyOf = bodies[`${method} ${path}`]
          const state = Effect.forEach(looks, (look) =>
            Effect.map(
              owner({ method: "GET", path: filled(look.path, (key) => ids[key]) ?? "" }),
              ({ status, text }) => path.includes(":") ? `${look.path} ${status} ${text}` : ""
            ))
          // The longer first, and none so short that it may stand in another by chance.
          const known = [...Object.values(ids), ...Object.values(ids).map(nobodys), "nobody", marker, nobodys(marker)]
            .filter((id) => id.length > 4).toSorted((a, b) => b.length - a.length)

          const before = yield* state
          for (const [who, call] of Object.entries(foreign)) {
            const name = `name-${marker}`
            const body = bodyOf?.(name)
            const idempotencyKey = method === "POST" ? `key-${who}` : undefined
            const ask = (target: string) =>
              call({
                method,
                path: target,
                ...(body === undefined ? {} : { body }),
                ...(idempotencyKey === undefined ? {} : { idempotencyKey })
              })
            const answered = yield* ask(own ?? "")
            if (unknown === own) {
              assert.notInclude(
                answered.text,
                marker === "" ? " " : `-${marker}`,
                `${who}: a list names what is another's`
              )
            } else {
              const asUnknown = yield* ask(unknown)
              assert.deepStrictEqual(
                plain(answered, known),
                plain(asUnknown, known),
                `${who}: it is as if it were not there`
              )
            }
          }
          assert.deepStrictEqual(yield* state, before, "the owner's things are as they were")

          // The control: for the owner the very same call is about something.
          if (unknown !== own) {
            const mine = yield* owner({
              method,
              path: own ?? "",
              ...(bodyOf === undefined ? {} : { body: bodyOf(`name-${marker}`) })
            })
            // 409: it is there, and something stands against the call.
            if (mine.status !== 409) assert.isBelow(mine.status, 300, mine.text)
          }
        }), 60_000)
    }
  }
)
