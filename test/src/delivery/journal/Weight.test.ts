import { blank, type Rendered } from "#schemas/Rendered.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const unit = 16_384

const output = (more: Partial<Rendered>): Rendered => ({ ...blank, ...more })

/** A step whose attempt rendered this, as a call to a provider or for the inbox. */
const rendered = Effect.fnUntraced(function*(shown: Rendered | undefined, isInbox = false) {
  const message = Fixture.message(yield* Fixture.world)
  const inbox = { userId: "ada", tenantId: undefined, createdAt: 0, expiresAt: undefined }
  return Fixture.step(message, 1, {
    attempt: Fixture.attempt(1, "intent"),
    events: shown === undefined || isInbox ? [] : [{ type: "RENDERED", ts: 1, output: shown }],
    ...(shown !== undefined && isInbox ? { inbox: { ...inbox, rendered: shown } } : {})
  })
})

describe("What a message weighs of those in hand", () => {
  it("is more for each 16,384 characters, and 1 for one of many that shares them", () => {
    const of = (lane: "bulk" | "transactional", size: number) => Weight.ofMessage({ lane, size })
    assert.deepStrictEqual([0, unit - 1, unit, 8 * unit].map((size) => of("transactional", size)), [1, 1, 2, 9])
    assert.deepStrictEqual([0, unit, 8 * unit, 8 * unit + 1].map((size) => of("bulk", size)), [1, 1, 1, 9])
  })
})

describe("What a step weighs in a commit", () => {
  it.effect("is more for each 16,384 characters of what it rendered, in whatever part of it", () =>
    Effect.gen(function*() {
      const long = "x".repeat(2 * unit)
      for (
        const part of [{ body: long }, { text: long }, { html: long }, { raw: { a: long } }, { native: { a: long } }]
      ) {
        for (const isInbox of [false, true]) {
          assert.strictEqual(Weight.of(yield* rendered(output(part), isInbox), undefined), 3)
        }
      }
      assert.strictEqual(Weight.of(yield* rendered(output({ text: long.slice(100) })), undefined), 2)
      assert.strictEqual(Weight.of(yield* rendered(undefined), undefined), 1)
    }))

  it.effect("is more for the tickets of pushes to many devices", () =>
    Effect.gen(function*() {
      const step = yield* rendered(undefined)
      const tickets = (count: number, length: number) =>
        Array.from({ length: count }, (_, n) => ({ id: `${n}`, service: "expo", address: "x".repeat(length) }))
      assert.strictEqual(Weight.of({ ...step, tickets: tickets(1, 40) }, undefined), 1)
      assert.strictEqual(Weight.of({ ...step, tickets: tickets(100, 3 * unit / 100) }, undefined), 4)
    }))

  it.effect("is 1 where the step before it shows the same, which an inbox has to keep all the same", () =>
    Effect.gen(function*() {
      const shown = output({ html: "x".repeat(2 * unit) })
      const [one, other] = [yield* rendered(shown), yield* rendered(shown)]
      assert.deepStrictEqual([Weight.of(one, undefined), Weight.of(other, one)], [3, 1])
      assert.strictEqual(Weight.of(yield* rendered({ ...shown }), one), 3)
      const [item, next] = [yield* rendered(shown, true), yield* rendered(shown, true)]
      assert.deepStrictEqual([Weight.of(item, one), Weight.of(next, item)], [3, 3])
    }))

  it.effect("bounds how many steps go together, from the first on", () =>
    Effect.gen(function*() {
      const heavy = yield* Effect.forEach(Array.from({ length: 6 }), () =>
        rendered(output({ html: "x".repeat(128 * unit) })))
      assert.lengthOf(Weight.light(heavy), 4)
      assert.deepStrictEqual(Weight.light(heavy.slice(0, 4)), heavy.slice(0, 4))
      const pairs = [1, 1, 2, 2, 3, 3, 4, 4].map((n) =>
        output({ html: `${n}`.repeat(128 * unit) })
      )
      const shared = pairs.map((one, n) => n % 2 === 0 ? one : pairs[n - 1])
      assert.lengthOf(Weight.light(yield* Effect.forEach(shared, (shown) => rendered(shown))), 8)
    }))
})
