import * as Outage from "#src/store/Outage.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const recorded = () => {
  const said: Array<string> = []
  const outage = Outage.make({
    lost: (error) => Effect.sync(() => void said.push(`lost ${String(error)}`)),
    found: Effect.sync(() => void said.push("found"))
  })
  return { outage, said }
}

describe("Outage", () => {
  it.effect("each loss is told once, and each return once, however often it is met", () =>
    Effect.gen(function*() {
      const { outage: { found, lost }, said } = recorded()
      for (const step of [found(), lost("a"), lost("b"), lost("c"), found(), found(), lost("d"), found()]) yield* step
      assert.deepStrictEqual(said, ["lost a", "found", "lost d", "found"])
    }))

  it.effect("of several it is told at the first, and its return at the last; who gives up counts no more", () =>
    Effect.gen(function*() {
      const { outage: { found, leave, lost }, said } = recorded()
      for (const step of [lost("a", 1), lost("b", 2), found(3), found(1), lost("c", 1), found(2)]) yield* step
      assert.deepStrictEqual(said, ["lost a"])
      yield* found(1)
      for (const step of [lost("d", 1), leave(1), found(1), lost("e", 2)]) yield* step
      assert.deepStrictEqual(said, ["lost a", "found", "lost d", "lost e"])
    }))
})
