import * as Durability from "#layers/postgres/connection/Durability.ts"
import * as Sessions from "#layers/postgres/connection/Sessions.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Logger, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { connect, createServer } from "node:net"

/** A database whose sessions begin like this. */
const beginning = Effect.fnUntraced(function*(settings: Readonly<Record<string, string>>) {
  const url = yield* FreshDatabase.url
  const name = new URL(Redacted.value(url)).pathname.slice(1)
  yield* Effect.forEach(
    Object.entries(settings),
    ([setting, value]) =>
      SqlClient.SqlClient.use((sql) => sql.unsafe(`alter database ${name} set ${setting} = '${value}'`)).pipe(
        Effect.provide(FreshDatabase.node(url))
      )
  )
  return url
})

const begun = SqlClient.SqlClient.use((sql) =>
  sql`select current_setting('transaction_isolation') as isolation, current_setting('TimeZone') as zone`
)

const decodeGiven = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({ idle: Schema.Int, silent: Schema.Int, every: Schema.Int, tries: Schema.Int })
  ])
)

const day = 86_400_000

const unlike = { default_transaction_isolation: "serializable", timezone: "Pacific/Chatham" }

const refusal = Buffer.from("SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: default_transaction_isolation\0\0")

/** What PgBouncer answers to a parameter of a session that it does not know, and else the database. */
const pooler = (url: Redacted.Redacted) =>
  Effect.gen(function*() {
    const target = new URL(Redacted.value(url))
    const { hostname, port } = target
    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const listening = createServer((client) => {
          client.on("error", () => undefined).once("data", (first) => {
            if (first.includes("default_transaction_isolation")) {
              const length = Buffer.alloc(4)
              length.writeUInt32BE(refusal.length + 4)
              client.end(Buffer.concat([Buffer.from("E"), length, refusal]))
              return
            }
            const database = connect(Number(port), hostname)
            database.on("error", () => client.destroy())
            database.write(first)
            client.pipe(database).pipe(client)
          })
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
      }),
      (listening) => Effect.sync(() => listening.close())
    )
    const address = server.address()
    target.hostname = "127.0.0.1"
    target.port = String(typeof address === "object" ? address?.port : "")
    return Redacted.make(target.href)
  })

describe("sessions", () => {
  it.live("begin as our statements need them, whatever the database begins them with", () =>
    Effect.gen(function*() {
      const url = yield* beginning(unlike)
      const rows = yield* Effect.provide(begun, Sessions.layer({ url, maxConnections: 1 }))
      assert.deepStrictEqual(rows, [{ isolation: "read committed", zone: "UTC" }])
    }))

  it.live("stay open while they only listen, or hold what this node owns, however soon the database ends idle ones", () =>
    Effect.gen(function*() {
      const url = yield* beginning({ idle_session_timeout: "50ms" })
      const process = SqlClient.SqlClient.use((sql) => sql`select pg_backend_pid() as pid`)
      const seen = Effect.all([process, Effect.andThen(Effect.sleep("500 millis"), process)])
      const [before, after] = yield* Effect.provide(seen, Sessions.layer({ url, maxConnections: 1 }))
      assert.deepStrictEqual(after, before)
    }))

  it.live("begin also behind a pooler that takes no parameter but the zone", () =>
    Effect.gen(function*() {
      const url = yield* Effect.flatMap(beginning(unlike), pooler)
      const rows = yield* Effect.provide(begun, Sessions.layer({ url, maxConnections: 1 }))
      assert.deepStrictEqual(rows, [{ isolation: "serializable", zone: "UTC" }])
    }))

  it.live("have our name in the database's own views, or the one that the URL has for them", () =>
    Effect.gen(function*() {
      const url = yield* FreshDatabase.url
      const own = Redacted.make(`${Redacted.value(url)}?application_name=mail`)
      const named = SqlClient.SqlClient.use((sql) => sql`select current_setting('application_name') as name`)
      const nameIn = (url: Redacted.Redacted) => Effect.provide(named, Sessions.layer({ url, maxConnections: 1 }))
      assert.deepStrictEqual(yield* nameIn(url), [{ name: "tidings" }])
      assert.deepStrictEqual(yield* nameIn(yield* pooler(url)), [{ name: "tidings" }])
      assert.deepStrictEqual(yield* nameIn(own), [{ name: "mail" }])
    }))
})

/** A database with so many days, before which there was nothing. */
const ofDays = Effect.fnUntraced(function*(days: number) {
  const url = yield* FreshDatabase.url
  const made = Array.makeBy(
    days,
    (n) =>
      `create table messages_${n} partition of messages for values from ('${Ids.from(n * day)}') to ('${
        Ids.from((n + 1) * day)
      }');`
  )
  yield* SqlClient.SqlClient.use((sql) =>
    sql.unsafe(`do $$ begin
      create table messages (id text collate "C") partition by range (id);
      ${made.join("\n")}
    end $$`).unprepared
  ).pipe(Effect.provide(FreshDatabase.node(url)))
  return url
})

describe("a statement that names a few days", () => {
  it.live.each(["directly", "behind a pooler"])(
    "locks no others, however often it is executed (%s)",
    (how) =>
      Effect.gen(function*() {
        const database = yield* ofDays(70)
        const url = how === "directly" ? database : yield* pooler(database)
        const look = Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          return yield* sql`select 1 from messages where id >= ${Ids.from(0)} and id < ${Ids.from(day)}`
        })
        const opened = yield* Effect.forEach(Array.range(1, 8), () => Reads.days("messages", look)).pipe(
          Effect.provide(Sessions.layer({ url, maxConnections: 1 }))
        )
        assert.deepStrictEqual(opened.map(({ days }) => days), Array.replicate(1, 8))
      })
  )
})

describe("a session whose node has vanished", () => {
  it.live("gives its locks back within a minute, whatever the server's defaults are", () =>
    Effect.gen(function*() {
      const url = yield* beginning({ idle_in_transaction_session_timeout: "0" })
      const [given] = yield* SqlClient.SqlClient.use((sql) =>
        sql`select extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::int as idle,
          current_setting('tcp_keepalives_idle')::int as silent, current_setting('tcp_keepalives_interval')::int as every,
          current_setting('tcp_keepalives_count')::int as tries`
      ).pipe(Effect.flatMap(decodeGiven), Effect.provide(Sessions.layer({ url, maxConnections: 1 })))
      assert.include([1, 5, 10, 20], given.idle)
      const heard = given.silent + given.every * given.tries
      assert.isAtLeast(heard, 1)
      assert.isAtMost(heard, 60)
    }))
})

describe("Durability", () => {
  for (const [value, warnings] of [["off", 1], ["local", 0], ["on", 0]] as const) {
    it.live(`P1: a start is ${warnings === 0 ? "silent" : "warned"} where synchronous_commit is ${value}`, () =>
      Effect.gen(function*() {
        const heard: Array<unknown> = []
        const url = yield* beginning({ synchronous_commit: value })
        yield* Effect.void.pipe(
          Effect.provide(Durability.layer),
          Effect.provide(FreshDatabase.node(url)),
          Effect.provide(Logger.layer([Logger.make(({ message }) => heard.push(message))]))
        )
        const told = heard.filter((message) => String(message).includes("synchronous_commit = off"))
        assert.lengthOf(told, warnings)
      }))
  }
})
