import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as Record from "#layers/postgres/journal/Record.ts"
import * as Unreadable from "#layers/postgres/journal/Unreadable.ts"
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

/** A day of each week before this time, and some after it. */
const weeks = Effect.fnUntraced(function*(at: number) {
  const sql = yield* SqlClient.SqlClient
  for (let ago = 8; ago >= 0; ago--) {
    yield* TestClock.setTime(at - ago * week)
    yield* Partitions.ensure(sql)
  }
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })("Steps", (it) => {
  it.effect("that show something again open their own days alone, however many there are", () =>
    Effect.gen(function*() {
      const { at } = yield* Fixture.world
      yield* weeks(at)
      const { epoch, message } = yield* Fixture.owned
      const said = (body: string) => render({ title: "Hi", body }, { channel: "email" })
      yield* written(shows(message, epoch, said("once")))
      const { days, result } = yield* written(shows(message, epoch, said("twice"), 2))
      assert.deepStrictEqual(result.map(({ _tag }) => _tag), ["Written"])
      assert.strictEqual(days, 1)
    }))
  it.effect("that set aside what cannot be read open its own days alone", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const place = yield* Fixture.world
      yield* weeks(place.at)
      const { id, scope } = yield* Fixture.accepted(place)
      const { days } = yield* Reads.days("messages", Unreadable.setAside(sql, "message", [{ id, scope }]))
      assert.strictEqual(days, 1)
    }))
})
