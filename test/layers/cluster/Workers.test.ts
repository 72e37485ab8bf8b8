import * as ExitCode from "#layers/ExitCode.ts"
import * as Protocol from "#layers/cluster/Protocol.ts"
import * as Workers from "#layers/cluster/Workers.ts"
import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { layer, threads, workerOf } from "#test/layers/cluster/FakeWorkers.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Logger, References, Runtime, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import process from "node:process"

/** A worker that is ready from its first moment, and stops when told; `then` runs after each of its reports. */
const workerThat = (then: string) =>
  workerOf(`
      if (request === "stop") process.exit(0)
      parentPort.postMessage({ unready: null, metrics: "" })
      ${then}`)

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

/** What the only worker answers, once it has been started. */
const asked = Effect.flatMap(Workers.Workers, ({ reports }) =>
  reports.pipe(
    Effect.map(([one]) => one?.unready),
    Effect.repeat({ until: (why) => why !== "a worker is starting" })
  ))

/** Moves the clock on, a little at a time, until the effect has ended; answers how long that took in ms. */
const timed = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = yield* Clock.currentTimeMillis
  const fiber = yield* Effect.forkChild(effect)
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
  return { value: yield* Fiber.join(fiber), took: (yield* Clock.currentTimeMillis) - before }
})

describe("Workers", () => {
  it.effect("who asks one that ends meanwhile is told so, and does not wait until it counts as silent", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* asked, "a worker has ended")
      assert.strictEqual((yield* Workers.Workers.use(({ reports }) => reports))[0]?.unready, "a worker is starting")
    }).pipe(Effect.provide(layer(1, workerOf("process.exit(1)")))))

  it.effect("those that do not answer within 3 s are reported as not ready, and waited for together", () =>
    Effect.gen(function*() {
      const { took, value } = yield* timed(asked)
      assert.strictEqual(value, "a worker does not answer")
      assert.isAtLeast(took, 3_000)
      assert.isAtMost(took, 4_000)
    }).pipe(Effect.provide(layer(2, workerOf("if (request === \"stop\") process.exit(0)")))))

  it.effect("they are gone when the scope has closed, and have had the time to drain", () =>
    Effect.gen(function*() {
      const { started } = yield* threads
      const draining = workerOf(`
        if (request === "stop") setTimeout(() => process.exit(0), 200)
        else parentPort.postMessage({ unready: null, metrics: "" })`)
      assert.isNull(yield* Effect.provide(asked, layer(1, draining)))
      assert.deepStrictEqual(started, [{ ended: true }])
    }))

  it.effect("one that has not ended 20 s after it was told to is terminated", () =>
    Effect.gen(function*() {
      const { started } = yield* threads
      const scope = yield* Scope.make()
      const deaf = workerOf("parentPort.postMessage({ unready: null, metrics: \"\" })")
      const workers = yield* Layer.buildWithScope(layer(1, deaf), scope)
      assert.isNull(yield* Effect.provideContext(asked, workers))
      const { took } = yield* timed(Scope.close(scope, Exit.void))
      assert.isAtLeast(took, 20_000)
      assert.deepStrictEqual(started, [{ ended: true }])
    }))

  it.live(
    "a start fails with why a worker could not start: what it said of it, or how it ended",
    () =>
      Effect.gen(function*() {
        const failure = (program: string) => Effect.flip(Effect.scoped(Layer.build(layer(2, new URL(program)))))
        const whyNot = (program: string) => Effect.map(failure(program), ({ message }) => message)
        const codeOf = (program: string) => Effect.map(failure(program), Runtime.getErrorExitCode)
        const ending = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
        const saying = ending(`
        import { parentPort } from "node:worker_threads"
        parentPort.postMessage({ failed: "one\\ntwo" })
        process.exit(1)`)
        assert.strictEqual(yield* whyNot(saying), "one\ntwo")
        assert.strictEqual(yield* whyNot(ending("process.exit(3)")), "an engine worker ended with 3")
        assert.strictEqual(yield* codeOf(ending(`process.exit(${ExitCode.configuration})`)), ExitCode.configuration)
        assert.strictEqual(yield* whyNot(ending("throw new Error(\"no\")")), "no")
        assert.match(yield* whyNot("http://tidings.test/"), /^no engine worker can be started: /)
      }),
    30_000
  )

  it.live(
    "one that cannot be started again is tried again and again, and so are the others",
    () =>
      Effect.gen(function*() {
        const lines: Array<string> = []
        const listening = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        const program = workerOf("process.exit(1)")
        const workers = yield* Layer.build(Layer.provide(layer(2, program), listening))
        // No worker can be made of this address.
        program.href = "http://tidings.test/"
        const told = yield* Effect.provideContext(asked, workers)
        assert.strictEqual(told, "a worker has ended")
        yield* Effect.repeat(Effect.sync(() => lines.length), {
          schedule: Schedule.spaced("50 millis"),
          until: (count) => count >= 6
        })
        assert.deepStrictEqual(lines.map((line) => line.split(",")[0]), lines.map(() => "a worker ended"))
      }),
    30_000
  )

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
    }).pipe(Effect.provide(layer(1, workerThat("")))))

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
      Effect.provide(layer(1, workerThat("process.exit(1)"))),
      Effect.provideService(References.MinimumLogLevel, "None")
    ), 30_000)

  it.live(
    "what is committed or changed is told to the worker that takes it, in order, and the worker says what it owns",
    () =>
      Effect.gen(function*() {
        const handover = yield* Handover.Handover
        const { owned, reports } = yield* Workers.Workers
        const place = yield* Fixture.world
        const heard = Effect.map(reports, ([one]): unknown => JSON.parse(one?.metrics || "[]"))
        const isHeard = (count: number) =>
          heard.pipe(
            Effect.repeat({
              schedule: Schedule.spaced("10 millis"),
              until: (all) => Array.isArray(all) && all.length === count
            }),
            Effect.timeout("20 seconds")
          )
        yield* Effect.repeat(Effect.andThen(reports, owned), {
          schedule: Schedule.spaced("10 millis"),
          until: (count) => count === 2
        })
        assert.deepStrictEqual([1, 2, 3].map(handover.owns), [true, true, false])
        const messages = [Fixture.message(place), Fixture.message(place)]
        yield* handover.offer(messages)
        yield* handover.stir
        yield* handover.behind(["bulk"])
        const change = { kind: "templates", scope: place.scope }
        yield* Invalidations.Invalidations.use(({ tell }) => tell(change))
        const [handed, ...rest] = yield* Effect.map(isHeard(4), (all) => Array.isArray(all) ? all : [])
        assert.deepStrictEqual(Protocol.decode(handed.handed).map(({ id }) => id), messages.map(({ id }) => id))
        assert.deepStrictEqual(rest, ["stir", { behind: ["bulk"] }, change])
      }).pipe(
        Effect.provide(layer(
          1,
          workerOf(`
      globalThis.heard ??= []
      if (request === "stop") process.exit(0)
      if (request !== "report") return void heard.push(request)
      if (heard.length === 0) parentPort.postMessage({ shards: [1, 2], alone: true, backlogged: ["bulk"] })
      parentPort.postMessage({ unready: null, metrics: JSON.stringify(heard) })`)
        ))
      ),
    30_000
  )

  it.live("those that are told to stop drain at once, and are not started again", () =>
    Effect.gen(function*() {
      const { started } = yield* threads
      const scope = yield* Scope.make()
      const workers = yield* Layer.buildWithScope(layer(1, workerThat("")), scope)
      yield* Effect.provideContext(
        Effect.gen(function*() {
          yield* Effect.repeat(asked, { schedule: Schedule.spaced("10 millis"), until: (why) => why === null })
          yield* Workers.Workers.use(({ stop }) => stop)
          yield* Effect.repeat(Effect.sync(() => started), {
            schedule: Schedule.spaced("10 millis"),
            until: ([one]) => one?.ended === true
          })
          yield* Effect.sleep("1500 millis")
        }),
        workers
      )
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(started, [{ ended: true }])
    }), 30_000)
})
