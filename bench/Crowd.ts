import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

/** Where a bench keeps its data. */
export type Store = { readonly database: { readonly url: string } } | { readonly directory: string }

const client = (store: Store): Layer.Layer<SqlClient.SqlClient, unknown> =>
  "database" in store
    ? PgClient.layer({ url: Redacted.make(store.database.url), maxConnections: 4 })
    : Embedded.layer({ dataDir: store.directory, durability: "disk" })

/** Runs statements on a store that no server has open, after its migrations. */
export const prepare = <A>(store: Store, use: Effect.Effect<A, unknown, SqlClient.SqlClient>): Promise<A> =>
  Effect.runPromise(
    use.pipe(
      Effect.provide(Migrations.layer.pipe(Layer.provideMerge(client(store)), Layer.provide(NodeServices.layer))),
      Effect.scoped,
      Effect.orDie
    )
  )

/** A list `everyone` of `count` users without profiles, `user-00000001` and on. */
export const list = (count: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into lists (scope, id, name, created_at, updated_at) values (1, 'everyone', 'Everyone', 0, 0)`
    yield* sql`insert into list_subscriptions (scope, list_id, user_id, created_at)
      select 1, 'everyone', 'user-' || lpad(n::text, 8, '0'), 0 from generate_series(1, ${count}::int) n`
    yield* sql`analyze list_subscriptions`
  })

/** An audience `tenth` of every tenth of `count` profiles. */
export const audience = (count: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into profiles (scope, user_id, profile, created_at, updated_at)
      select 1, 'user-' || lpad(n::text, 8, '0'), '{"email":"user-' || n || '@example.com","tenth":"' || (n % 10 = 0) || '"}', 0, 0
      from generate_series(1, ${count}::int) n`
    yield* sql`insert into audiences (scope, id, name, description, filter, version, created_at, updated_at)
      values (1, 'tenth', 'Tenth', '', '{"filters":[{"operator":"EQ","path":"tenth","value":"true"}]}', 1, 0, 0)`
    yield* sql`insert into audience_members (scope, audience_id, user_id, version, added_at, reason)
      select 1, 'tenth', 'user-' || lpad(n::text, 8, '0'), 1, 0, 'EQ(''tenth'', ''true'') => true'
      from generate_series(10, ${count}::int, 10) n`
    yield* sql`analyze profiles, audience_members`
  })

/** One POST /send; answers the request's id. */
export const send = async (
  target: { readonly url: string; readonly apiKey: string },
  to: unknown,
  content = { title: "Hello", body: "Hello from the bench" }
): Promise<string> => {
  const response = await fetch(`${target.url}/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${target.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ message: { to, content, routing: { method: "single", channels: ["email"] } } })
  })
  const body = await response.text()
  if (response.status !== 202) throw new Error(`POST /send answered ${response.status}: ${body}`)
  return JSON.parse(body).requestId
}
