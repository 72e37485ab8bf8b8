import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout as sleep } from "node:timers/promises"
import * as Drain from "./Drain.ts"
import * as OpenLoop from "./OpenLoop.ts"
import * as Outcome from "./Outcome.ts"

const sends = 240
const most = 120
const kills = 2
const perSecond = 400
const share = Math.ceil(sends / (kills + 1))
/** Provider calls long enough that a kill finds some in flight, in ms. */
const provider = { CRASH_PROVIDER_MILLIS: "150" }

const limits = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ items: Schema.Array(Schema.Struct({ used: Schema.Int })) }))
)
const counted = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

const run = async (place: Places.Place) => {
  const callers = Array.from({ length: 4 }, () => Caller.make(place.port))
  let server = CrashProcess.start(place, { ...provider, CRASH_COUNTED: "1" })
  await server.ready()
  const [caller] = callers
  const limit = await caller?.call("PUT", "/send-limits/global/month", { body: { limit: most } })
  await caller?.insist("/send", "counted", Caller.toEmail("point-counted-one"))
  await server.ended
  server = CrashProcess.start(place, provider)
  await server.ready()
  let killed = 0
  const answering = OpenLoop.run(callers, {
    perSecond,
    allowed: () => Math.min(sends, share * (killed + 1)),
    isOver: (made) => made >= sends
  })
  for (; killed < kills; killed++) {
    await sleep(Math.random() * 1_000 * (share / perSecond) + 100)
    await server.kill()
    server = CrashProcess.start(place, provider)
    await server.ready()
  }
  await answering
  await Drain.untilClosed(caller, 60_000)
  const told = await caller?.call("GET", "/send-limits")
  server.signal("SIGTERM")
  await server.ended
  for (const caller of callers) caller.close()
  return { limit, used: limits(told?.body).items[0]?.used }
}

/**
 * Send limits while the server is killed, once between a message's count and the intent of its first call, and else at any
 * moment: a message counts before it is called, and once.
 */
export const suite = (storage: Places.Storage) =>
  describe(`kill -9 under a send limit: ${storage}`, () => {
    it.live(
      `P1, P4: of ${sends} sends with ${kills} kills exactly the ${most} that a limit allows are handed over`,
      () =>
        Effect.gen(function*() {
          const place = yield* Places.make(storage)
          const { limit, used } = yield* Effect.promise(() => run(place))
          assert.strictEqual(limit?.status, 200)
          const outcome = yield* Outcome.read(place)
          const ended = (wanted: string) =>
            outcome.messages.filter(({ closed, status }) => closed && status === wanted).map(({ id }) => id)
          assert.deepStrictEqual([ended("SENT").length, ended("THROTTLED").length], [most, sends + 1 - most])
          assert.sameMembers([...outcome.calls.keys()], ended("SENT"))
          assert.strictEqual(used, most)
          const marked = Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            return yield* counted(yield* sql`select count(*)::int as count from messages where counted`)
          })
          assert.deepStrictEqual(yield* marked.pipe(Effect.provide(place.store)), [{ count: most }])
        }),
      300_000
    )
  })
