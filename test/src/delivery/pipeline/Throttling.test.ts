import type { LimitedBy, LimitPeriod, SendLimit } from "#schemas/SendLimit.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import * as Throttling from "#src/delivery/pipeline/Throttling.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { type Counted, SendCounts, type Taken } from "#src/flows/SendCounts.ts"
import { SendLimits } from "#src/flows/SendLimits.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const hour = 3_600_000

const counted: Effect.Effect<Taken> = Effect.succeed({ _tag: "Counted" })

const stores = Layer.mergeAll(
  Stores.layer,
  Fake.layer([Fake.nothing("inbox", "inbox")]),
  Layer.mock(DeviceTokens, { reachable: () => Effect.succeed([]) })
)

const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  yield* TestClock.setTime(place.at)
  const { decide } = yield* Stages.make
  const waited: Array<string> = []
  const { look, take } = yield* Throttling.make((id) => Effect.sync(() => void waited.push(id)))
  const limits = yield* SendLimits
  const catalogue = yield* PreferenceCatalogue
  const section = yield* catalogue.createSection(place.scope, { name: "Section" })
  const topic = yield* catalogue.createTopic(place.scope, section.id, { name: "News", default_status: "OPTED_IN" })
  const put = (per: LimitedBy, period: LimitPeriod, said: SendLimit) => limits.put(place.scope, { per, period }, said)
  const said = (of: "look" | "take") =>
    Effect.fnUntraced(function*(more: Partial<NewMessage> = {}, isStored = true) {
      const message = isStored ? yield* Fixture.accepted(place, more) : Fixture.message(place, more)
      const decision = yield* decide(message)
      const done: Effect.Effect<unknown, Effect.Error<ReturnType<typeof take>>> = of === "take"
        ? take(decision)
        : look(decision, place.at)
      return yield* Effect.catchTag(done, "Refusal", (refusal) => Effect.succeed([refusal.type, refusal.detail]))
    })
  return { ...place, decide, look: said("look"), put, take: said("take"), topic: topic.id, waited }
})

/** About a topic. */
const about = (topic: string): Partial<NewMessage> => ({
  instructions: { content: { title: "t", body: "b" }, preferences: { subscription_topic_id: topic } }
})

const inTenant: Partial<NewMessage> = { recipient: { user_id: "ada", tenant_id: "acme" } }

describe("Throttling", () => {
  it.effect("a message that is one too many ends as THROTTLED, and is told which limit it was and until when", () =>
    Effect.gen(function*() {
      // 2027-01-15T08:00:…Z, a Friday.
      const told = [
        ["user", "hour", "an hour for its recipient is reached, until 2027-01-15T09:00:00.000Z", {}],
        ["global", "day", "a day is reached, until 2027-01-16T00:00:00.000Z", {}],
        ["tenant", "week", "a week for its tenant is reached, until 2027-01-17T00:00:00.000Z", inTenant],
        ["topic", "month", "a month of its topic is reached, until 2027-02-01T00:00:00.000Z", "topic"],
        [
          "user_topic",
          "day",
          "a day of its topic for its recipient is reached, until 2027-01-16T00:00:00.000Z",
          "topic"
        ]
      ] as const
      for (const [per, period, words, more] of told) {
        const { put, take, topic } = yield* start
        yield* put(per, period, { limit: 1 })
        const message = more === "topic" ? about(topic) : more
        assert.isTrue(yield* take(message), per)
        assert.deepStrictEqual(yield* take(message), ["THROTTLED", `The limit of 1 message ${words}`])
      }
    }).pipe(Effect.provide(stores)))

  it.effect("a look counts nothing, and tells what a message would come to", () =>
    Effect.gen(function*() {
      const { look, put, take } = yield* start
      yield* put("user", "day", { limit: 2 })
      for (let n = 0; n < 3; n++) assert.isUndefined(yield* look({}, false))
      for (let n = 0; n < 2; n++) assert.isTrue(yield* take())
      assert.deepInclude(yield* look({}, false), "THROTTLED")
    }).pipe(Effect.provide(stores)))

  it.effect("what no limit is per goes on; a topic that does not exist is none", () =>
    Effect.gen(function*() {
      const { put, take } = yield* start
      yield* put("tenant", "day", { limit: 0 })
      yield* put("topic", "day", { limit: 0 })
      assert.isTrue(yield* take())
      assert.isTrue(yield* take(about("pt_none")))
    }).pipe(Effect.provide(stores)))

  it.effect("P1: a message that is not stored is not counted and not sent; it is waited for first", () =>
    Effect.gen(function*() {
      const { put, take, waited } = yield* start
      yield* put("user", "day", { limit: 1 })
      const id = Fixture.id(0)
      assert.isFalse(yield* take({ id }, false))
      assert.deepStrictEqual(waited, [id])
      assert.isTrue(yield* take({ id }))
    }).pipe(Effect.provide(stores)))

  it.effect("where no limit is, no message is counted, and none waits", () =>
    Effect.gen(function*() {
      const { look, take, waited } = yield* start
      assert.isTrue(yield* take())
      assert.isUndefined(yield* look())
      assert.deepStrictEqual(waited, [])
    }).pipe(Effect.provide(Layer.mergeAll(stores, Layer.mock(SendCounts, {})))))

  it.effect("P7: a message counts in the hour in which the store that was away has answered", () => {
    const asked: Array<number | undefined> = []
    const away = ({ counts: [count] }: Counted) =>
      Effect.suspend(() => {
        asked.push(count?.from)
        return asked.length < 2 ? Effect.fail(new StoreUnavailable({ cause: "away" })) : counted
      })
    return Effect.gen(function*() {
      const { at, put, take } = yield* start
      yield* put("user", "hour", { limit: 1 })
      const begun = Math.floor(at / hour) * hour
      yield* TestClock.setTime(begun + hour - 1)
      const waiting = yield* Effect.forkChild(take())
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* Fiber.join(waiting))
      assert.deepStrictEqual(asked, [begun, begun + hour])
    }).pipe(Effect.provide(Layer.mergeAll(stores, Layer.mock(SendCounts, { take: away }))))
  })

  it.effect("P1: a store that is away is waited for", () => {
    let asked = 0
    const away = Effect.suspend(() => ++asked < 3 ? Effect.fail(new StoreUnavailable({ cause: "away" })) : counted)
    return Effect.gen(function*() {
      const { put, take } = yield* start
      yield* put("user", "day", { limit: 1 })
      const waiting = yield* Effect.forkChild(take())
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* Fiber.join(waiting))
    }).pipe(Effect.provide(Layer.mergeAll(stores, Layer.mock(SendCounts, { take: () => away }))))
  })
})
