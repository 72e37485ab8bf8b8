import * as Workers from "#layers/cluster/Workers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, References, Schedule } from "effect"
import process from "node:process"

/** A worker that is ready from its first moment, and stops when told; `then` runs after each of its reports. */
const workerThat = (then: string) =>
  new URL(`data:text/javascript,${
    encodeURIComponent(`
    import { parentPort } from "node:worker_threads"
    parentPort.on("message", (request) => {
      if (request === "stop") process.exit(0)
      parentPort.postMessage({ unready: null, metrics: "" })
      ${then}
    })
  `)
  }`)

/** What the runtime warns of meanwhile. */
const warnings = Effect.acquireRelease(
  Effect.sync(() => {
    const heard: Array<string> = []
    const listener = ({ name }: Error) => void heard.push(name)
    process.on("warning", listener)
    return { heard, listener }
  }),
  ({ listener }) => Effect.sync(() => process.off("warning", listener))
)

describe("Workers", () => {
  it.live("a worker that is asked all the time, and by many at once, is not listened to by more each time", () =>
    Effect.gen(function*() {
      const { heard } = yield* warnings
      const { reports } = yield* Workers.Workers
      const isReady = reports.pipe(Effect.map(([one]) => one?.unready === null))
      yield* isReady.pipe(Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (it) => it }))
      for (let asked = 0; asked < 12; asked++) assert.isTrue(yield* isReady)
      const together = yield* Effect.all(Array.from({ length: 12 }, () => isReady), { concurrency: "unbounded" })
      assert.deepStrictEqual(together, together.map(() => true))
      assert.deepStrictEqual(heard, [])
    }).pipe(Effect.provide(Workers.layer(1, workerThat("")))))

  it.live("one that has ended is known to be gone, and is started again", () =>
    Effect.gen(function*() {
      const { reports } = yield* Workers.Workers
      for (const unready of [null, "a worker is starting", null]) {
        yield* reports.pipe(
          Effect.map(([one]) => one?.unready),
          Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (why) => why === unready }),
          Effect.timeout("20 seconds")
        )
      }
    }).pipe(
      Effect.provide(Workers.layer(1, workerThat("process.exit(1)"))),
      Effect.provideService(References.MinimumLogLevel, "None")
    ), 30_000)
})
