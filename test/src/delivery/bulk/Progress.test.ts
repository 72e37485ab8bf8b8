import type { BulkJobStatus, BulkUserStatus } from "#schemas/Bulk.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Running } from "#src/delivery/bulk/Jobs.ts"
import * as Progress from "#src/delivery/bulk/Progress.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { assert, describe, it } from "@effect/vitest"

const cases: ReadonlyArray<readonly [name: string, running: Running | undefined, status: BulkJobStatus]> = [
  ["not run yet", undefined, "CREATED"],
  ["at work", { state: "RUNNING", messages: 0, index: 0, isNumbered: true }, "PROCESSING"],
  ["done", { state: "COMPLETED", messages: 2, index: 3, isNumbered: true }, "COMPLETED"],
  ["done with nobody", { state: "COMPLETED", messages: 0, index: 3, isNumbered: true }, "ERROR"],
  ["set aside before its first message", { state: "FAILED", messages: 0, index: 0, isNumbered: true }, "ERROR"],
  ["set aside with users who have none", { state: "FAILED", messages: 1_000, index: 1_000, isNumbered: true }, "ERROR"]
]

const requestId = MessageId.make("1-67890abc-0123456789abcdef01234567")

const places: ReadonlyArray<
  readonly [name: string, running: Running | undefined, statuses: ReadonlyArray<BulkUserStatus>]
> = [
  ["not run yet", undefined, ["PENDING", "PENDING", "ERROR"]],
  ["at work on the second", { state: "RUNNING", messages: 1, index: 1, isNumbered: true }, [
    "ENQUEUED",
    "PENDING",
    "ERROR"
  ]],
  ["done", { state: "COMPLETED", messages: 2, index: 3, isNumbered: true }, ["ENQUEUED", "ENQUEUED", "ERROR"]],
  ["set aside at the second", { state: "FAILED", messages: 1, index: 1, isNumbered: true }, [
    "ENQUEUED",
    "ERROR",
    "ERROR"
  ]]
]

describe("the users of a bulk job, of whom the third cannot be sent anything", () => {
  it.each(places)("%s", (_, running, statuses) => {
    const users = [undefined, undefined, "nobody"].map((error, position) => ({
      error,
      position,
      key: `user ${position}`
    }))
    for (const isNumbered of [true, false]) {
      const request = { requestId, running: running && { ...running, isNumbered } }
      const seen = users.map((user) => Progress.ofUser(request, user))
      assert.deepStrictEqual(seen.map(({ status }) => status), statuses)
      const idOf = (n: number) => isNumbered ? Ids.at(requestId, n) : Ids.member(requestId, `user ${n}`)
      assert.deepStrictEqual(
        seen.map(({ messageId }) => messageId),
        statuses.map((status, n) => status === "ENQUEUED" ? idOf(n) : undefined)
      )
    }
  })
})

describe("the progress of a bulk job", () => {
  it.each(cases)("%s", (_, running, status) => {
    assert.strictEqual(Progress.ofJob({ running }), status)
  })
})
