import { Lane, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Mailboxes from "#src/delivery/Mailboxes.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Schema } from "effect"

/** Whatever can go on has gone on. */
const settled = Effect.repeat(Effect.yieldNow, { times: 10 })

const Steps = Schema.Array(Schema.Union([
  Schema.Struct({ lane: Lane, recipient: Schema.Literals(["ada", "bob"]) }),
  Schema.Struct({ ends: Schema.Literals(["ada", "bob"]) })
])).check(Schema.isMinLength(20), Schema.isMaxLength(60))

describe("Mailboxes", () => {
  it.effect.prop(
    "P3: one at a time, in the order of its lane, transactional first; who finds no room is asked for later",
    {
      steps: Steps
    },
    ({ steps }) =>
      Effect.gen(function*() {
        const world = yield* Fixture.world
        const capacity = 4
        const calls = new Map<string, { readonly id: string; readonly over: Latch.Latch }>()
        const waiting = new Map<string, Array<OpenMessage>>([["ada", []], ["bob", []]])
        const unheard = new Set<Lane>()
        const together = new Set<string>()
        const mailboxes = yield* Mailboxes.make({
          capacity,
          ownerOf: () => 1,
          onRoom: (lane) => unheard.delete(lane),
          run: ({ id, recipientKey }) =>
            Effect.suspend(() => {
              if (calls.has(recipientKey)) together.add(recipientKey)
              const over = Latch.makeUnsafe()
              calls.set(recipientKey, { id, over })
              return Effect.andThen(over.await, Effect.sync(() => calls.delete(recipientKey)))
            })
        })
        const inLane = (recipient: string, lane: Lane) =>
          (waiting.get(recipient) ?? []).filter((message) => message.lane === lane)
        const end = Effect.fnUntraced(function*(recipient: string) {
          const ended = calls.get(recipient)
          if (ended === undefined) return
          const [next] = [...inLane(recipient, "transactional"), ...inLane(recipient, "bulk")]
          ended.over.openUnsafe()
          yield* settled
          assert.strictEqual(calls.get(recipient)?.id, next?.id)
          waiting.set(recipient, (waiting.get(recipient) ?? []).filter((message) => message !== next))
          assert.strictEqual(mailboxes.isIdle(recipient), next === undefined)
        })
        for (const step of steps) {
          if ("ends" in step) {
            yield* end(step.ends)
            continue
          }
          const { lane, recipient } = step
          const message = Fixture.message(world, { recipientKey: recipient, lane })
          const isFirst = mailboxes.isIdle(recipient)
          assert.strictEqual(isFirst, !calls.has(recipient))
          assert.strictEqual(mailboxes.isFull(recipient, lane), inLane(recipient, lane).length > capacity / 2)
          const hasRoom = inLane(recipient, lane).length < capacity
          assert.strictEqual(mailboxes.offer(message), hasRoom)
          if (!hasRoom) unheard.add(lane)
          else if (!isFirst) waiting.get(recipient)?.push(message)
          yield* settled
          assert.isTrue(calls.has(recipient))
          assert.strictEqual(mailboxes.active(), calls.size)
        }
        for (const recipient of waiting.keys()) while (calls.has(recipient)) yield* end(recipient)
        assert.deepStrictEqual([[...unheard], [...together], mailboxes.active()], [[], [], 0])
      }).pipe(Effect.scoped)
  )

  it.effect("P3: what a later owner read waits outside until all that an earlier one read is gone, and is asked for then", () =>
    Effect.gen(function*() {
      const world = yield* Fixture.world
      const call = Latch.makeUnsafe()
      const run: Array<string> = []
      const rooms: Array<string> = []
      let owner = 1
      const mailboxes = yield* Mailboxes.make({
        capacity: 32,
        ownerOf: () => owner,
        onRoom: (lane) => rooms.push(lane),
        run: ({ id }: OpenMessage) =>
          Effect.andThen(
            Effect.sync(() => run.push(id)),
            call.await
          )
      })
      const [first, second, third] = [1, 2, 3].map(() => Fixture.message(world, { recipientKey: "ada" }))
      if (first === undefined || second === undefined || third === undefined) return assert.fail()
      assert.deepStrictEqual([mailboxes.offer(first), mailboxes.offer(second)], [true, true])
      yield* Effect.yieldNow
      owner = 2
      assert.isFalse(mailboxes.isFull("ada", "transactional"))
      assert.isFalse(mailboxes.offer(third))
      assert.isTrue(mailboxes.isFull("ada", "transactional"))
      assert.deepStrictEqual([run, rooms], [[first.id], []])
      yield* call.open
      while (mailboxes.active() > 0) yield* Effect.yieldNow
      assert.deepStrictEqual([run, rooms], [[first.id, second.id], ["transactional", "bulk"]])
      assert.isFalse(mailboxes.isFull("ada", "transactional"))
      assert.isTrue(mailboxes.offer(third))
    }))
})
