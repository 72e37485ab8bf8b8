import type { Attempt } from "#schemas/Attempt.ts"
import { Journal, type Step } from "#src/delivery/Journal.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import type { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { accepted, intent, owned, settle } from "#test/contracts/JournalSteps.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"

const repeatable: Record<string, ReadonlyArray<Partial<Step>>> = {
  "an intent, or its settle,": [intent, settle],
  "a settle without an intent": [{ ...settle, lifecycle: ["Route", "Send"], conditional: true }]
}

/** What is written twice, or by two owners, is there once. */
export const repeats = (it: Vitest.MethodsNonLive<Journal | MessageLog>) => {
  for (const [what, steps] of Object.entries(repeatable)) {
    it.effect(`P4: ${what} repeated after an unknown commit changes nothing and is answered as it was`, () =>
      Effect.gen(function*() {
        const { record, traces } = yield* owned()
        for (const step of steps) {
          const first = yield* record(step)
          const before = yield* traces
          const again = yield* record(step)
          assert.strictEqual(again._tag, "Written")
          assert.deepStrictEqual({ ...again, provenAtNanos: 0n }, { ...first, provenAtNanos: 0n })
          assert.deepStrictEqual(yield* traces, before)
        }
      }))
  }

  it.effect("of a closed message, a settle is a repeat only if its call is stored with that outcome; else it is refused", () =>
    Effect.gen(function*() {
      const { record, traces } = yield* owned()
      const step: Partial<Step> = { ...settle, lifecycle: ["Route", "Send"], conditional: true }
      yield* record(step)
      const before = yield* traces
      const again = (more: Partial<Attempt>) =>
        Effect.map(record({ ...step, attempt: { ...accepted, ...more } }), ({ _tag }) => _tag)
      assert.strictEqual(yield* again({}), "Written")
      assert.strictEqual(yield* again({ state: "rejected" }), "Refused")
      assert.strictEqual(yield* again({ startedAt: accepted.startedAt + 1 }), "Refused")
      assert.deepStrictEqual(yield* traces, before)
    }))

  it.effect("P1, P6: a message that comes to be stored after its end was refused, since it was not there, is as open as any", () =>
    Effect.gen(function*() {
      const place = yield* Fixture.world
      const journal = yield* Journal
      const { epoch } = yield* journal.take(place.shard, "node", place.at)
      const message = Fixture.message(place)
      const end = Fixture.step(message, epoch, { lifecycle: ["Unroute"], conditional: true, dueAt: null })
      const written = yield* Write.close(
        (step) =>
          Effect.orDie(
            Effect.tap(journal.record(step), () => journal.accept(Fixture.acceptance(place, [message])))
          ),
        end
      )
      const { rows } = yield* journal.due(Fixture.window(place))
      assert.deepStrictEqual(rows.map(({ id, status }) => [id, status]), [[message.id, "ENQUEUED"]])
      assert.strictEqual(written._tag, "Refused")
    }))

  it.effect("an outcome once stored is not overwritten", () =>
    Effect.gen(function*() {
      const { place, record, traces } = yield* owned()
      yield* record({ attempt: accepted })
      yield* record({ at: place.at + 11, attempt: Fixture.attempt(1, "intent") })
      yield* record({ at: place.at + 12, attempt: Fixture.attempt(1, "unknown", { kind: "Unknown" }) })
      assert.deepStrictEqual((yield* traces).attempts, [accepted])
    }))

  it.effect("P4: what ends a message takes along the outcome of a call that an earlier owner began", () =>
    Effect.gen(function*() {
      const { journal, message, place, record, traces } = yield* owned()
      yield* record(intent)
      const { epoch } = yield* journal.take(place.shard, "another", place.at)
      const unknown = Fixture.attempt(1, "unknown", { kind: "Unknown", endedAt: place.at + 9 })
      const ended = yield* journal.record(Fixture.step(message, epoch, {
        at: place.at + 9,
        lifecycle: ["Unroute"],
        conditional: true,
        attempt: unknown,
        dueAt: null,
        events: [{ type: "UNROUTABLE", ts: place.at + 9 }]
      }))
      assert.deepInclude(ended, { _tag: "Written", status: "UNROUTABLE" })
      const { attempts, due, history } = yield* traces
      assert.deepStrictEqual(attempts, [unknown])
      assert.deepStrictEqual(history.map(({ type }) => type), ["ENQUEUED", "DELIVERING", "UNROUTABLE"])
      assert.deepStrictEqual(due, [])
    }))
}
