import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Drain from "./Drain.ts"
import { postgres } from "./EngineStores.ts"
import * as OpenLoop from "./OpenLoop.ts"
import * as Outcome from "./Outcome.ts"
import { suite } from "./Poison.ts"

suite(postgres)

const neighbours = 40

const sendTo = async (caller: Caller.Caller, name: string, more?: object): Promise<string> =>
  OpenLoop.requestIdOf(await caller.insist("/send", name, Caller.toEmail(name, more)))

describe("poison: processes", () => {
  it.live(
    "X1: a message that kills its process is quarantined after a few deaths, and its neighbours are sent",
    () =>
      Effect.gen(function*() {
        const place = yield* Places.make("Postgres")
        const deaths = yield* Effect.promise(async () => {
          const caller = Caller.make(place.port)
          let server = CrashProcess.start(place)
          await server.ready()
          const sending = Array.from({ length: neighbours }, (_, n) => sendTo(caller, `neighbour-${n}`))
          sending.push(sendTo(caller, "poison-routing"))
          let deaths = 0
          const drained = Promise.all(sending).then(() => Drain.untilClosed(caller, 240_000)).then(() =>
            "drained" as const
          )
          while (await Promise.race([drained, server.ended]) !== "drained") {
            deaths++
            server = CrashProcess.start(place)
          }
          server.signal("SIGTERM")
          await server.ended
          caller.close()
          return deaths
        })
        assert.strictEqual(deaths, 6)
        const outcome = yield* Outcome.read(place)
        const ended = (poisoned: boolean) =>
          new Set(
            outcome.messages.filter(({ recipient }) => recipient.startsWith("poison") === poisoned).map(({ status }) =>
              status
            )
          )
        assert.deepStrictEqual([...ended(true)], ["UNDELIVERABLE"])
        assert.deepStrictEqual([...ended(false)], ["SENT"])
        assert.lengthOf(outcome.messages, neighbours + 1)
      }),
    360_000
  )

  it.live(
    "X1: a row that does not decode ends UNDELIVERABLE, alone, whatever in it is unreadable",
    () =>
      Effect.gen(function*() {
        const place = yield* Places.make("Postgres")
        const server = CrashProcess.start(place)
        const caller = Caller.make(place.port)
        const garbled = yield* Effect.promise(async () => {
          await server.ready()
          return await Promise.all(
            ["instructions", "recipient", "status", "key_state", "attempt"].map(async (column) => ({
              column,
              id: await sendTo(caller, `garbled-${column}`, { delay: { duration: 3_600_000 } })
            }))
          )
        })
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          for (const { column, id } of garbled) {
            if (column === "attempt") {
              yield* sql`insert into attempts (scope, message_id, number, epoch, channel, provider, state, started_at)
              select scope, id, 1, 0, 'email', 'ledger', 'of a later version', 0 from messages where id = ${id}`
              yield* sql`update messages set due_at = 1, providers = '{ledger}' where id = ${id}`
            } else {
              yield* sql`update messages set ${
                sql(column)
              } = '{"content": 3, "user_id": []', due_at = 1 where id = ${id}`
            }
          }
          yield* sql`select pg_notify('tidings_due', string_agg(shard::text, ',')) from messages`
        }).pipe(Effect.provide(place.store))
        yield* Effect.promise(async () => {
          await Promise.all(Array.from({ length: neighbours }, (_, n) => sendTo(caller, `neighbour-${n}`)))
          await Drain.untilClosed(caller, 120_000)
          caller.close()
          server.signal("SIGTERM")
          await server.ended
        })
        const { messages } = yield* Outcome.read(place)
        const ids = new Set(garbled.map(({ id }) => id))
        for (const { id, status } of messages) assert.strictEqual(status, ids.has(id) ? "UNDELIVERABLE" : "SENT")
        assert.lengthOf(messages, neighbours + garbled.length)
      }),
    240_000
  )
})
