import { Unavailable } from "#schemas/DeliveryError.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Step } from "#src/delivery/Journal.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { EngineStores } from "./EngineStores.ts"

/** Where the node dies around one attempt. In the middle three nobody knows afterwards what became of the call. */
const Death = Schema.Literals(["beforeIntent", "afterIntent", "inCall", "beforeOutcome", "afterOutcome"])
type Death = typeof Death.Type
const unknowns: ReadonlyArray<Death | undefined> = ["afterIntent", "inCall", "beforeOutcome"]

interface Story {
  /** The provider is unavailable for so many attempts, then accepts. */
  readonly failures: number
  /** Deaths, by attempt number. */
  readonly deaths: ReadonlyMap<number, Death>
  /** Whether the node also dies in each wait, a random part of it into it. */
  readonly restless: boolean
}

const unbroken = (failures: number): Story => ({ failures, deaths: new Map(), restless: false })

const pointOf = ({ attempt }: Step): Death | undefined =>
  attempt === undefined ? undefined : attempt.state === "intent" ? "beforeIntent" : "beforeOutcome"

/** Lives one story on shard and scope of its own, and answers its timeline relative to the acceptance. */
const live = <S>(stores: EngineStores<S>, id: MessageId, { deaths, failures, restless }: Story) =>
  Effect.gen(function*() {
    const place = yield* EngineNode.place
    const { at } = place
    const shards = [place.shard]
    const cluster = yield* EngineNode.make(stores.node)
    const left = new Map(deaths)

    const vendors = (die: () => void): ReadonlyArray<Vendor> => [{
      _tag: "Vendor",
      key: "script",
      channel: "email",
      reaches: () => true,
      send: ({ attempt }) =>
        Effect.suspend(() => {
          if (left.get(attempt) === "inCall" && left.delete(attempt)) {
            die()
            return Effect.never
          }
          return attempt <= failures ? new Unavailable({ detail: "down" }) : Effect.succeed({ reference: undefined })
        })
    }]
    const cut: EngineNode.Cut = (step) => {
      const point = pointOf(step)
      const number = step.attempt?.number ?? 0
      const death = left.get(number)
      if (point === "beforeIntent" && (death === "beforeIntent" || death === "afterIntent") && left.delete(number)) {
        return death === "beforeIntent" ? "before" : "after"
      }
      if (point === "beforeOutcome" && (death === "beforeOutcome" || death === "afterOutcome") && left.delete(number)) {
        return death === "beforeOutcome" ? "before" : "after"
      }
      return undefined
    }
    const born = cluster.start({ shards, vendors, cut })

    let node = yield* born
    yield* node.accept(Fixture.message(place, { id, requestId: id, recipient: { email: "a@example.com" } }))
    for (let turns = 0; turns < 2_000; turns++) {
      yield* cluster.settle
      if (node.isDead()) {
        node = yield* born
        continue
      }
      const { next, open } = yield* cluster.due(shards)
      assert.strictEqual(open, 0, "nobody dead and nothing running: what is due is done")
      if (next === undefined) break
      if (restless) {
        node.die()
        const now = yield* Clock.currentTimeMillis
        yield* TestClock.setTime(now + Math.floor((next - now) * ((turns * 7 % 10) / 10)))
        node = yield* born
        yield* cluster.settle
      }
      yield* TestClock.setTime(next)
    }
    assert.strictEqual(left.size, 0, "every death was died")
    const log = yield* MessageLog
    const record = yield* log.get(place.scope, id)
    const attempts = (yield* log.attempts(place.scope, id)).map((
      { channel, endedAt, number, provider, startedAt, state }
    ) => ({
      number,
      channel,
      provider,
      state: state as string,
      startedAt: startedAt - at,
      endedAt: endedAt === null ? null : endedAt - at
    }))
    return { status: record.status, reason: record.reason, attempts }
  }).pipe(Effect.scoped, Effect.orDie)

type Timeline = Effect.Success<ReturnType<typeof live>>

/** The unbroken timeline, with the outcomes that the deaths made unknown. */
const marked = (timeline: Timeline, deaths: Story["deaths"]): Timeline => ({
  ...timeline,
  attempts: timeline.attempts.map((attempt) =>
    unknowns.includes(deaths.get(attempt.number)) ? { ...attempt, state: "unknown" } : attempt
  )
})

const compare = <S>(stores: EngineStores<S>, story: Story) =>
  Effect.gen(function*() {
    const id = Fixture.id(1_800_000_000_000)
    const whole = yield* live(stores, id, unbroken(story.failures))
    const broken = yield* live(stores, id, story)
    assert.deepStrictEqual(broken, marked(whole, story.deaths))
    return whole
  })

const small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))

/**
 * Deaths around the failing attempts. More than four before an attempt ended are no story of a timeline but of a poisonous message, which
 * is quarantined.
 */
const deathsOf = (drawn: ReadonlyArray<Death | null>, failures: number): Story["deaths"] => {
  let dangerous = 0
  return new Map(
    drawn.slice(0, failures).flatMap((death, index) =>
      death === null || (death !== "afterOutcome" && ++dangerous > 4) ? [] : [[index + 1, death] as const]
    )
  )
}

/** A message's attempts, with and without nodes that die between and in them, on the real engine in virtual time. */
export const suite = <S>(stores: EngineStores<S>) =>
  layer(stores.shared, { timeout: 60_000 })(`attempts of a dying node: ${stores.name}`, (it) => {
    describe("retry timeline", () => {
      it.effect.prop(
        "P4: deaths in and between attempts change neither numbers nor due times nor the end",
        {
          failures: small,
          drawn: Schema.Array(Schema.NullOr(Death)).check(Schema.isMaxLength(7)),
          restless: Schema.Boolean
        },
        ({ drawn, failures, restless }) => compare(stores, { failures, deaths: deathsOf(drawn, failures), restless }),
        { timeout: 120_000, arbitrary: { runs: stores.runs } }
      )

      for (const death of Death.literals) {
        it.effect(
          `P4: a death ${death} of the first and the third attempt leaves the timeline as it was`,
          () => compare(stores, { failures: 4, deaths: new Map([[1, death], [3, death]]), restless: false }),
          60_000
        )
      }

      it.effect(
        "P4: a call that was cut when it would have been accepted is repeated once, as unknown",
        () =>
          Effect.gen(function*() {
            const story = { failures: 1, deaths: new Map([[2, "inCall" as const]]), restless: false }
            const { attempts, status } = yield* live(stores, Fixture.id(1_800_000_000_000), story)
            assert.strictEqual(status, "SENT")
            // The script accepts every attempt after the first.
            assert.deepStrictEqual(attempts.map(({ number, state }) => [number, state]), [
              [1, "rejected"],
              [2, "unknown"],
              [3, "accepted"]
            ])
          }),
        60_000
      )

      it.effect(
        "P4: a schedule ends after 104 attempts, however often the node dies between them",
        () =>
          Effect.gen(function*() {
            const whole = yield* compare(stores, {
              failures: Infinity,
              deaths: new Map([[1, "inCall"]]),
              restless: true
            })
            assert.lengthOf(whole.attempts, 104)
            assert.deepStrictEqual([whole.status, whole.reason], ["UNDELIVERABLE", "FAILED"])
          }),
        300_000
      )
    })
  })
