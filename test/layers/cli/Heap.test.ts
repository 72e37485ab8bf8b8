import { heap } from "#layers/cli/heap.mjs"
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"

describe("heap", () => {
  it("the Node at hand starts with the options of a server: one that it does not know would end it", () => {
    const started = (options: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [...options, "--eval", ""], { encoding: "utf8" })
    const { status, stderr } = started(heap)
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.notStrictEqual(started([...heap, "--no-such-option"]).status, 0)
  })
})
