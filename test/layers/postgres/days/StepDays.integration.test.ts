import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Record from "#layers/postgres/journal/Record.ts"
import type { Step } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { shows } from "#test/contracts/MessageLogOutputs.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { render } from "#test/src/content/Rendering.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const week = 7 * 86_400_000

/** How a step is written, and how many days of a table that opens, at most. */
const written = Effect.fnUntraced(function*(step: Step) {
  const sql = yield* SqlClient.SqlClient
  const write = Record.write(sql)([step], false)
  const attempts = yield* Reads.days("attempts", Reads.days("outputs", Reads.days("messages", write)))
  const { days, result: outputs } = attempts
  return { days: Math.max(days, outputs.days, outputs.result.days), result: outputs.result.result }
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })("Steps", (it) => {
  it.effect("that show something again open their own days alone, however many there are", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { at } = yield* Fixture.world
      for (let weeks = 8; weeks >= 0; weeks--) {
        yield* TestClock.setTime(at - weeks * week)
        yield* Partitions.ensure(sql)
      }
      const { epoch, message } = yield* Fixture.owned
      const said = (body: string) => render({ title: "Hi", body }, { channel: "email" })
      yield* written(shows(message, epoch, said("once")))
      const { days, result } = yield* written(shows(message, epoch, said("twice"), 2))
      assert.deepStrictEqual(result.map(({ _tag }) => _tag), ["Written"])
      assert.strictEqual(days, 1)
    }))
})
