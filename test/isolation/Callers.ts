import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import { derive, SecretKey } from "#src/access/SecretKey.ts"
import * as Client from "#test/isolation/Client.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Served from "#test/support/Served.ts"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"

const secret = "isolationisolationisolationisolationisolation"
const secretKey = Buffer.alloc(32, "isolation")
const otherKey = "pk_prod_another-workspace-another-workspace-another"

/** The callers of one server: the owner of a world, and those to whom it must not exist. */
export class Callers extends Context.Service<Callers, {
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

export const layer = Layer.effect(
  Callers,
  Effect.gen(function*() {
    const database = yield* FreshDatabase.url
    const directory = yield* Directories.empty
    const [port, clusterPort] = yield* Effect.promise(() => Promise.all([Ports.free(), Ports.free()]))
    yield* Served.at(port, {
      DATABASE_URL: Redacted.value(database),
      TIDINGS_CLUSTER_PORT: String(clusterPort),
      TIDINGS_DATA_DIR: directory,
      TIDINGS_SECRET_KEY: secretKey.toString("base64"),
      // Each of the routes makes a world of its own, and it is not their number that is tested.
      TIDINGS_RATE_LIMITS: "list-subscriptions=0,lists=0,brands=0",
      TIDINGS_BOOTSTRAP_SECRET: secret
    })
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
