import * as Chances from "#layers/testing/Chance.ts"
import * as Loops from "#layers/testing/Loop.ts"
import { assert, describe, it } from "@effect/vitest"

const days = 86_400_000

/** A loop on which a process takes this many steps, again and again after a pause of so many ms. */
const stepping = (steps: number, pause: number) => {
  const loop = Loops.make(Chances.make(1), 0)
  const process = loop.process("a")
  const go = () => {
    for (let n = 0; n < steps; n++) process.post(() => undefined)
    loop.after(pause, go)
  }
  go()
  return loop
}

describe("The loop of a world", () => {
  it("is not endless for its steps in a long time, as those of idle nodes, but for many in a short one", () => {
    const idle = stepping(2, 1_000)
    assert.strictEqual(idle.run(() => false, 60 * days), "idle")
    assert.isFalse(idle.isEndless())
    for (const [steps, pause] of [[1, 1], [3_000_000, 1_000]] as const) {
      const busy = stepping(steps, pause)
      assert.strictEqual(busy.run(() => false, 60 * days), "endless")
      assert.isTrue(busy.isEndless())
    }
  })
})
