import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout as sleep } from "node:timers/promises"
import * as Drain from "./Drain.ts"
import * as OpenLoop from "./OpenLoop.ts"
import * as Receiver from "./Receiver.ts"
import * as Told from "./Told.ts"

const sends = 240
const kills = 3
/** In the life before this kill the receiver is away for a moment. */
const away = 1
const perSecond = 400
const share = Math.ceil(sends / (kills + 1))
/** Provider calls long enough that a kill finds some in flight, in ms. */
const environment = { CRASH_PROVIDER_MILLIS: "150", TIDINGS_OUTBOUND_ALLOW: "127.0.0.0/8" }

const made = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ id: Schema.String, secret: Schema.String }))
)
const shown = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ state: Schema.String, lost: Schema.Int }))
)
const counted = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

const until = async (what: string, isSo: () => boolean): Promise<void> => {
  for (const began = performance.now(); performance.now() - began < 90_000; await sleep(50)) if (isSo()) return
  throw new Error(`not within a minute and a half: ${what}`)
}

const start = async (place: Places.Place) => {
  const server = CrashProcess.start(place, environment)
  await server.ready()
  return server
}

const stop = (server: CrashProcess.CrashProcess) => {
  server.signal("SIGTERM")
  return server.ended
}

/** What the receiver does before a kill: it is away and comes back, or leaves calls unanswered while it answers others. */
const trouble = async (receiver: Receiver.Receiver, killed: number) => {
  await sleep(Math.random() * 200)
  if (killed === away) {
    receiver.leave()
    await sleep(500)
    receiver.comeBack()
  } else {
    receiver.hold()
    const before = receiver.doomed.size
    await until("something is told in a round that goes on", () => receiver.doomed.size > before)
  }
  await sleep(Math.random() * 200)
}

const run = async (place: Places.Place, receiver: Receiver.Receiver) => {
  const caller = Caller.make(place.port)
  const callers = [caller, ...Array.from({ length: 3 }, () => Caller.make(place.port))]
  let server = await start(place)
  const registered = await caller.call("POST", "/webhooks", { body: { url: receiver.url } })
  await server.kill()
  const { id, secret } = made(registered?.body)
  server = await start(place)
  let killed = 0
  const answering = OpenLoop.run(callers, {
    perSecond,
    allowed: () => Math.min(sends, share * (killed + 1)),
    isOver: (made) => made >= sends
  })
  for (; killed < kills; killed++) {
    // One that goes elsewhere begins anew. After the last kill nothing is told until the claim of the dead server is over.
    if (killed > 0) await caller.call("PUT", `/webhooks/${id}`, { body: { url: `${receiver.url}?life=${killed}` } })
    await trouble(receiver, killed)
    await server.kill()
    receiver.release()
    server = await start(place)
  }
  const answers = await answering
  await Drain.untilClosed(caller, 60_000)
  const truth = await Promise.all(answers.map((answer) => Told.truthOf(caller, OpenLoop.requestIdOf(answer))))
  // What is not told by then is said below.
  await until("all is told", () => Told.untold(receiver.calls, truth).length === 0).catch(() => undefined)
  const webhook = shown((await caller.call("GET", `/webhooks/${id}`))?.body)
  const end = await stop(server)
  for (const caller of callers) caller.close()
  return { end, secret, truth, webhook }
}

/** How many events are to be told yet: of an embedded store, while no server runs. */
const backlog = (place: Places.Place) =>
  SqlClient.SqlClient.use((sql) => sql`select count(*)::int as count from webhook_events`).pipe(
    Effect.flatMap(counted),
    Effect.map(([{ count }]) => count),
    Effect.provide(place.store)
  )

/** Lets servers run until nothing is to be told: what was told already may be told again. Answers what stays. */
const drained = Effect.fnUntraced(function*(place: Places.Place) {
  let left = yield* backlog(place)
  for (let lives = 0; left > 0 && lives < 6; lives++) {
    yield* Effect.promise(async () => {
      const server = await start(place)
      await sleep(5_000)
      await stop(server)
    })
    left = yield* backlog(place)
  }
  return left
})

/** Webhooks are told what happens while the server is killed, and their receiver fails as well. */
export const suite = (storage: Places.Storage) =>
  describe(`kill -9 while webhooks are told: ${storage}`, () => {
    it.live(
      `P1: of ${sends} messages with ${kills} kills every status is told, and nothing that did not happen`,
      () =>
        Effect.gen(function*() {
          const place = yield* Places.make(storage)
          const receiver = yield* Receiver.listen
          const { end, secret, truth, webhook } = yield* Effect.promise(() => run(place, receiver))
          assert.deepStrictEqual([end.code, end.signal], [0, null])
          const left = yield* drained(place)
          const { calls, doomed } = receiver
          const times = Map.groupBy(calls, ({ id }) => id)
          console.log(
            `${storage}: ${truth.length} messages, ${times.size} events, ${calls.length} calls, ${doomed.size} told in rounds that a kill cut off`
          )
          assert.deepStrictEqual(Told.faults(calls, truth, secret).slice(0, 10), [])
          assert.strictEqual(new Set(truth.map(({ id }) => id)).size, sends)
          for (const { statuses } of truth) assert.deepStrictEqual(statuses, ["ENQUEUED", "ROUTED", "SENT"])
          assert.deepStrictEqual([...doomed].filter((id) => (times.get(id) ?? []).length < 2), [])
          assert.deepStrictEqual([left, webhook], [0, { state: "ENABLED", lost: 0 }])
        }),
      300_000
    )
  })
