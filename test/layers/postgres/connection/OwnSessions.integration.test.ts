import * as OwnSessions from "#layers/postgres/connection/OwnSessions.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Logger } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

const sessions = { most: 5, fewest: 4, remedy: "give it more" }

const start = Effect.scoped(Effect.provide(Effect.void, OwnSessions.layer(sessions)))

/** The client, were this how it gets its sessions. */
const reserving = (reserve: SqlClient.SqlClient["reserve"]) =>
  Effect.map(SqlClient.SqlClient, (sql) => Object.assign(sql.withoutTransforms(), { reserve }))

/** A session of a pooler that lends, for each statement, one of its servers. */
const lent = (servers: Array.NonEmptyReadonlyArray<SqlConnection.Connection>, next: () => number) => ({
  ...servers[0],
  executeUnprepared: (...asked: Parameters<SqlConnection.Connection["executeUnprepared"]>) =>
    (servers[next() % servers.length] ?? servers[0]).executeUnprepared(...asked)
})

/** What `OwnSessions` says of a pooler with so many servers, which all take their turns. */
const saidOf = Effect.fnUntraced(function*(servers: number) {
  const sql = yield* SqlClient.SqlClient
  const others = yield* Effect.forEach(Array.makeBy(servers, () => sql.reserve).slice(1), (reserve) => reserve)
  let turn = -1
  const session = lent([yield* sql.reserve, ...others], () => turn += 1)
  return yield* Effect.flip(
    Effect.provideServiceEffect(start, SqlClient.SqlClient, reserving(Effect.succeed(session)))
  )
}, Effect.scoped)

describe("OwnSessions", () => {
  it.live("sessions of our own are good", () => Effect.provide(start, FreshDatabase.layerEmpty))

  for (const servers of [1, 2, 3, 4, 5]) {
    it.live(`P2: a pooler that lends ${servers} sessions by the transaction is refused, and what to do is said`, () =>
      Effect.gen(function*() {
        const error = yield* saidOf(servers)
        assert.propertyVal(error, "_tag", "SharedSessions")
        assert.include(error.message, "session mode")
      }).pipe(Effect.provide(FreshDatabase.layerEmpty)))
  }

  it.live("a database that gives fewer than the node takes is served from, and the start says so; fewer than four end it", () =>
    Effect.gen(function*() {
      const heard: globalThis.Array<unknown> = []
      const { reserve: opened } = yield* SqlClient.SqlClient
      const full = new SqlError.SqlError({
        reason: new SqlError.ConnectionError({ cause: new Error("sorry, too many clients already") })
      })
      let left = sessions.most - 1
      const reserve = Effect.suspend(() => left-- > 0 ? opened : Effect.fail(full))
      yield* Effect.provideServiceEffect(start, SqlClient.SqlClient, reserving(reserve)).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => heard.push(message))]))
      )
      assert.include(String(heard), "gives this node 4 sessions, and it takes up to 5")
      assert.include(String(heard), "sorry, too many clients already")
      left = 3
      const three = yield* Effect.flip(Effect.provideServiceEffect(start, SqlClient.SqlClient, reserving(reserve)))
      assert.propertyVal(three, "_tag", "TooFewSessions")
      assert.include(three.message, "3 sessions where 4 are needed (sorry, too many clients already); give it more")
      left = 0
      const none = Effect.provideServiceEffect(start, SqlClient.SqlClient, reserving(reserve))
      assert.strictEqual(yield* Effect.flip(none), full)
    }).pipe(Effect.provide(FreshDatabase.layerEmpty)))
})
