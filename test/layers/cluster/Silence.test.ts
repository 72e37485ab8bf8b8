import * as Workers from "#layers/cluster/Workers.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { layer, threads, workerOf } from "#test/layers/cluster/FakeWorkers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout as sleep } from "node:timers/promises"

describe("A worker that does not answer", () => {
  it.effect(
    "X1: is no owner after some seconds, and is ended after half a minute, such as one in a loop, and started again",
    () =>
      Effect.gen(function*() {
        const lines: Array<string> = []
        const listening = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        const { started } = yield* threads
        const looping = workerOf("if (request === \"stop\") process.exit(0); else while (true) {}", [7])
        const workers = yield* Layer.build(Layer.provide(layer(1, looping), listening))
        const { owns } = yield* Effect.provideContext(Handover.Handover, workers)
        const pass = (seconds: number) => Effect.repeat(TestClock.adjust("1 second"), { times: seconds - 1 })
        yield* pass(7)
        assert.isTrue(owns(7))
        yield* pass(1)
        assert.isFalse(owns(7))
        yield* pass(23)
        assert.deepStrictEqual(lines, [])
        yield* pass(1)
        // Its end is an event of the real world.
        yield* Effect.promise(() => sleep(10)).pipe(Effect.repeat({ until: () => lines.length >= 2 }))
        assert.deepStrictEqual(lines.map((line) => line.split(",")[0]), ["a worker stands still", "a worker ended"])
        assert.deepStrictEqual(started, [{ ended: true }])
        yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => started.length === 2 })
      }),
    30_000
  )

  it.effect(
    "P2: owns nothing until it has heard what it lost meanwhile: five answers later",
    () =>
      Effect.gen(function*() {
        const waking = workerOf(
          `
        globalThis.pings ??= 0
        if (request === "stop") process.exit(0)
        if (request === "ping" && ++pings > 5) parentPort.postMessage("pong")
        if (request === "report") parentPort.postMessage({ unready: null, metrics: "" })`,
          [7]
        )
        const context = yield* Layer.build(layer(1, waking))
        const { owns } = Context.get(context, Handover.Handover)
        const { reports } = Context.get(context, Workers.Workers)
        const owned: Array<boolean> = []
        for (let asked = 1; asked <= 12; asked++) {
          yield* TestClock.adjust("2 seconds")
          // Its answer comes after what it said before.
          yield* reports
          owned.push(owns(7))
        }
        const [yes, no] = [Array<boolean>(3).fill(true), Array<boolean>(6).fill(false)]
        assert.deepStrictEqual(owned, [...yes, ...no, ...yes])
      }),
    30_000
  )
})
