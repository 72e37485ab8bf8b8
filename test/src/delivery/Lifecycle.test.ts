import { Status } from "#schemas/Status.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const statuses = Status.literals
const events = Lifecycle.Event.literals

const terminal: ReadonlyArray<Status> = [
  "THROTTLED",
  "FILTERED",
  "CANCELED",
  "UNMAPPED",
  "UNROUTABLE",
  "UNDELIVERABLE",
  "CLICKED"
]

/** api.md 26.2: ENQUEUED < ROUTED < SENT < DELIVERED < OPENED < CLICKED. */
const progress: ReadonlyArray<Status> = ["ENQUEUED", "ROUTED", "SENT", "DELIVERED", "OPENED", "CLICKED"]

/** Every edge there is, written out a second time: the table and this list must be changed together, on purpose. */
const edges = new Set([
  ...["ENQUEUED", "DELAYED", "ROUTED"].flatMap((from) => [
    `${from} Undeliver UNDELIVERABLE`,
    `${from} Unroute UNROUTABLE`,
    `${from} Unmap UNMAPPED`,
    `${from} Filter FILTERED`,
    `${from} Throttle THROTTLED`,
    `${from} Digest DIGESTED`,
    `${from} Cancel CANCELED`
  ]),
  "ENQUEUED Delay DELAYED",
  "ENQUEUED Route ROUTED",
  "ENQUEUED Send SENT",
  "DELAYED Due ENQUEUED",
  "ROUTED Send SENT",
  ...["ROUTED", "SENT"].flatMap((from) => [
    `${from} Deliver DELIVERED`,
    `${from} Open OPENED`,
    `${from} Click CLICKED`,
    `${from} Bounce UNDELIVERABLE`
  ]),
  "DELIVERED Open OPENED",
  "DELIVERED Click CLICKED",
  "DELIVERED Bounce UNDELIVERABLE",
  "OPENED Click CLICKED",
  "DIGESTED Cancel CANCELED"
])

describe("Lifecycle (P6)", () => {
  for (const status of statuses) {
    for (const event of events) {
      it(`decides ${status} + ${event}`, () => {
        const to = statuses.find((after) => edges.has(`${status} ${event} ${after}`))
        assert.strictEqual(Lifecycle.allows(status, event), to !== undefined)
        assert.strictEqual(Lifecycle.next(status, event), to ?? status)
      })
    }
  }

  it("never leaves a terminal status", () => {
    for (const status of terminal) for (const event of events) assert.strictEqual(Lifecycle.next(status, event), status)
  })

  it.effect.prop("never lowers a message along its progress, whatever comes in whatever order", {
    received: Schema.Array(Lifecycle.Event)
  }, ({ received }) =>
    Effect.sync(() => {
      let status: Status = "ENQUEUED"
      for (const event of received) {
        const after = Lifecycle.next(status, event)
        const [before, later] = [progress.indexOf(status), progress.indexOf(after)]
        if (before >= 0 && later >= 0) assert.isAtLeast(later, before)
        status = after
      }
    }))

  it.effect.prop("compares in SQL exactly the statuses that a run of events starts from", {
    run: Schema.Array(Lifecycle.Event).check(Schema.isMaxLength(3))
  }, ({ run }) =>
    Effect.sync(() => {
      const sources = Lifecycle.sources(run)
      for (const status of statuses) {
        let at: Status = status
        const walks = run.every((event) => {
          const can = Lifecycle.allows(at, event)
          at = Lifecycle.next(at, event)
          return can
        })
        assert.strictEqual(sources.includes(status), walks)
        assert.strictEqual(Lifecycle.barred(run).includes(status), !walks)
        if (walks && run.length > 0) assert.strictEqual(at, Lifecycle.target(run))
      }
    }))

  it("has a way on from every open status and none back into one", () => {
    assert.deepStrictEqual(statuses.filter(Lifecycle.isOpen), ["ENQUEUED", "DELAYED", "ROUTED"])
    assert.deepStrictEqual(statuses.filter(Lifecycle.isHeardOf).toSorted(), ["CLICKED", "DELIVERED", "OPENED"])
    for (const status of statuses) {
      if (Lifecycle.isOpen(status)) assert.isTrue(events.some((event) => Lifecycle.allows(status, event)), status)
      for (const event of events) {
        const after = Lifecycle.next(status, event)
        if (Lifecycle.isOpen(after) && after !== status) assert.isTrue(Lifecycle.isOpen(status), `${status} ${event}`)
      }
    }
  })
})
