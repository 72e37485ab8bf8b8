import { maxMessageSize } from "#layers/postgres/connection/LongestMessage.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import { PgClient } from "@effect/sql-pg"
import { Config, Duration, Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { randomUUID } from "node:crypto"

const server = Config.Redacted("TEST_DATABASE_URL").pipe(
  Config.withDefault(Redacted.make("postgres://root@127.0.0.1:5432/test"))
)

const make = Effect.fnUntraced(function*(options: string) {
  const base = yield* server
  const admin = yield* PgClient.make({ url: base, maxConnections: 1, idleTimeout: Duration.infinity })
  const name = `tidings_${randomUUID().replaceAll("-", "")}`
  const fresh = new URL(Redacted.value(base))
  fresh.pathname = `/${name}`
  yield* Effect.acquireRelease(
    admin`create database ${admin(name)} ${admin.literal(options)}`,
    () => Effect.orDie(admin`drop database ${admin(name)} with (force)`)
  )
  return Redacted.make(fresh.toString())
}, Effect.provide(Reactivity.layer))

/** The URL of a database of its own, dropped with the scope. */
export const url = make("")

/** One more node on a database. Its pool keeps its connections whatever a test does to the clock. */
export const node = (database: Redacted.Redacted) =>
  PgClient.layer({ url: database, maxConnections: 6, idleTimeout: Duration.infinity, maxMessageSize })

/** An empty database without tables. */
export const layerEmpty = Layer.unwrap(Effect.map(url, node))

/** The same, whose text has this encoding. */
export const layerEncoded = (encoding: string) =>
  Layer.unwrap(Effect.map(make(`encoding '${encoding}' locale 'C' template template0`), node))

/** The same, whose text is ordered as people order words: operators' databases often are. As it comes, where the server knows no such order. */
export const layerCollated = Layer.unwrap(
  make("template template0 locale_provider icu icu_locale 'en'").pipe(
    Effect.catchTag("SqlError", () => url),
    Effect.map(node)
  )
)

/** A database as a node finds it after its migrations. */
export const layer = Migrations.layer.pipe(Layer.provideMerge(layerEmpty))
