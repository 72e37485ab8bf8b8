import { type DeliveryError, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const down = new Unavailable({ detail: "down" })
const silence = new Unknown({ detail: "silence" })

/** Which calls of a message are marked in its timeline, while they end so, and the last is taken. */
const marked = Effect.fnUntraced(function*(errors: ReadonlyArray<DeliveryError>) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const script = errors.map((error) => ({ _tag: "Fail" as const, error }))
  const { vendor } = yield* Fake.make({ key: "mail", channel: "email", script })
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [vendor] })
  const message = Fixture.message(place)
  yield* node.accept(message)
  yield* cluster.finish([place.shard])
  const history = yield* MessageLog.use((log) => log.history(place.scope, message.id))
  return history.filter(({ type }) => type === "DELIVERING").map(({ possibleDuplicate }) => possibleDuplicate ?? false)
}, (effect) => effect.pipe(Effect.scoped, Effect.provide(memory.shared)))

describe("Possible duplicates in a timeline", () => {
  it.effect("P4: each call after one of which nobody knows whether it arrived is marked as one, and no other", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* marked([]), [false])
      assert.deepStrictEqual(yield* marked([down, down]), [false, false, false])
      assert.deepStrictEqual(yield* marked([down, silence, down]), [false, false, true, true])
    }))
})
