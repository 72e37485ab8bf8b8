import { Api } from "#schemas/api/Api.ts"
import * as Caller from "#test/support/Caller.ts"
import type { Answer } from "#test/support/Exchange.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import * as WireProxy from "#test/support/WireProxy.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { cases, type PostCase, setup } from "./PostCases.ts"

const posts: Array<string> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    if (endpoint.method === "POST") posts.push(endpoint.path)
  }
})

const Count = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))
const Stored = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ status: Schema.Int, body: Schema.String }))
)

const sealed = ({ status }: { readonly status: number }) => ({ status, body: "<sealed>" })

/** What a first run and a later one may differ in: ids, times, names, signed tokens, secrets. */
const plain = (answer: Answer | undefined, name: string) => ({
  status: answer?.status,
  type: answer?.headers["content-type"],
  body: answer?.body.replaceAll(name, "<name>")
    .replaceAll(
      /1-[0-9a-f]{8}-[0-9a-f]{24}|(?<="(?:(?:page_|submission_|topic_)?id|jobId|token|secret)":")[^"]+/g,
      "<id>"
    )
    .replaceAll(
      /\b\d{13}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z/g,
      "<time>"
    )
})

/** Effect and stored response as the database holds them, behind the back of the server. */
const look = (post: PostCase, subject: string, name: string, key: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [{ count }] = yield* Count(yield* sql.unsafe(post.effects, [subject, name]))
    return {
      effects: count,
      stored: yield* Stored(yield* sql`select status, body from idempotency where key = ${key}`)
    }
  })

const expected = {
  before: { effects: 0, stored: 0, replayed: undefined },
  after: { effects: 1, stored: 1, replayed: "true" }
} as const satisfies Record<WireProxy.Cut, object>

/** How many POSTs are in flight together: each holds one of the server's ten connections at its commit. */
const together = 6

/** All that is asked of the server is done by its first thread. */
const alone = { TIDINGS_WORKERS: "0" }

/** Neighbours in the table are in different groups, since they often write the same rows. */
const groups = Object.values(
  Object.groupBy(
    Object.entries(cases).map((entry, index) => ({ entry, index })),
    ({ index }) => index % Math.ceil(posts.length / together)
  )
).map((group = []) => group.map(({ entry }) => entry))

const survive = (group: ReadonlyArray<readonly [path: string, post: PostCase]>) =>
  Effect.gen(function*() {
    const direct = yield* Places.make("Postgres")
    const url = new URL(direct.databaseUrl ?? "")
    const proxy = yield* WireProxy.start({ host: url.hostname, port: Number(url.port || 5432) })
    url.hostname = "127.0.0.1"
    url.port = String(proxy.port)
    const place = { ...direct, databaseUrl: url.href }
    const caller = Caller.make(place.port)
    let server = CrashProcess.start(place, alone)
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        caller.close()
        await server.kill()
      })
    )
    yield* Effect.promise(() => server.ready())

    /** What each route of the group is called with under this name. */
    const calls = (name: string) =>
      Promise.all(group.map(async ([path, post], index) => {
        const own = `${name}-${index}`
        const subject = await post.prepare(caller, own)
        return {
          path,
          post,
          name: own,
          key: `key-${own}`,
          subject,
          to: post.path(subject),
          body: post.body(own, subject)
        }
      }))

    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const statement of setup) yield* sql.unsafe(statement)

      const firsts = yield* Effect.promise(async () =>
        Promise.all((await calls("unbroken")).map(async (call) => {
          const first = await caller.insist(call.to, call.key, call.body)
          assert.isBelow(first.status, 300, call.path)
          return plain(first, call.name)
        }))
      )

      for (const cut of ["before", "after"] as const) {
        const cutCalls = yield* Effect.promise(() => calls(cut))
        const lost = yield* Effect.promise(async () => {
          const held = cutCalls.map(({ key }) => proxy.holdAt(cut, key))
          const answers = cutCalls.map(({ body, key, to }) => caller.call("POST", to, { key, body }))
          await Promise.all(held)
          await server.kill()
          return Promise.all(answers)
        })
        for (const [index, { key, name, path, post, subject }] of cutCalls.entries()) {
          assert.isUndefined(lost[index], `${path}, ${cut}: no answer before the kill`)
          const found = yield* look(post, subject, name, key)
          assert.deepStrictEqual(
            { effects: found.effects, stored: found.stored.length },
            { effects: expected[cut].effects, stored: expected[cut].stored },
            `${path}, ${cut} the commit: effect and response, both or neither`
          )
        }

        server = CrashProcess.start(place, alone)
        yield* Effect.promise(() => server.ready())
        for (const [index, { body, key, name, path, post, subject, to }] of cutCalls.entries()) {
          const retry = yield* Effect.promise(() => caller.insist(to, key, body))
          assert.deepStrictEqual(
            plain(retry, name),
            firsts[index],
            `${path}, ${cut}: the retry is answered like a first run`
          )
          assert.strictEqual(retry.headers["idempotent-replayed"], expected[cut].replayed, `${path}, ${cut}`)
          const { effects, stored } = yield* look(post, subject, name, key)
          const isSealed = post.isSealed === true
          assert.deepStrictEqual(
            { effects, stored: stored.map((kept) => isSealed && kept.body !== retry.body ? sealed(kept) : kept) },
            { effects: 1, stored: [isSealed ? sealed(retry) : { status: retry.status, body: retry.body }] },
            `${path}, ${cut}: once`
          )
        }
      }
    }).pipe(Effect.provide(place.store))
  })

describe("kill -9 around the commit of a POST", () => {
  it("P5: every POST of the route table has a case", () => {
    assert.sameMembers(Object.keys(cases), posts)
  })
  for (const group of groups) {
    it.live(
      `P5: effect and stored response are both there or neither, and the retry completes it: ${
        group.map(([path]) => path).join(", ")
      }`,
      () => survive(group),
      120_000
    )
  }
})
