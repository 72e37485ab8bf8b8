import type { BulkJobStatus } from "#schemas/Bulk.ts"
import type { Running } from "#src/delivery/bulk/Jobs.ts"
import * as Progress from "#src/delivery/bulk/Progress.ts"
import { assert, describe, it } from "@effect/vitest"

const cases: ReadonlyArray<readonly [name: string, running: Running | undefined, status: BulkJobStatus]> = [
  ["not run yet", undefined, "CREATED"],
  ["at work", { state: "RUNNING", messages: 0, index: 0 }, "PROCESSING"],
  ["done", { state: "COMPLETED", messages: 2, index: 3 }, "COMPLETED"],
  ["done with nobody", { state: "COMPLETED", messages: 0, index: 3 }, "ERROR"],
  ["set aside before its first message", { state: "FAILED", messages: 0, index: 0 }, "ERROR"],
  ["set aside with users who have none", { state: "FAILED", messages: 1_000, index: 1_000 }, "ERROR"]
]

describe("the progress of a bulk job", () => {
  it.each(cases)("%s", (_, running, status) => {
    assert.strictEqual(Progress.ofJob({ running }), status)
  })
})
