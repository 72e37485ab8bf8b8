import type { Attempt } from "#schemas/Attempt.ts"
import { Scope } from "#schemas/Scope.ts"
import { Breakers } from "#src/delivery/attempts/Breakers.ts"
import * as Call from "#src/delivery/attempts/Call.ts"
import * as Hand from "#src/delivery/attempts/Hand.ts"
import * as Outcome from "#src/delivery/attempts/Outcome.ts"
import { type Branch, type Candidate, type Plan, without } from "#src/delivery/attempts/Plan.ts"
import { RateGates } from "#src/delivery/attempts/RateGates.ts"
import type { Journey } from "#src/delivery/pipeline/Journey.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const now = 1_000_000_000
const wait = 10_000

const candidate = (channel: string, provider: string): Candidate => ({
  _tag: "Candidate",
  channel,
  provider,
  timeout: undefined
})

const branch = (channel: string | undefined, children: ReadonlyArray<Plan>): Branch => ({
  _tag: "Branch",
  method: "single",
  channel,
  timeout: undefined,
  children
})

const mail = candidate("email", "mail")
const other = candidate("email", "other")
const text = candidate("sms", "text")
/** Of the same name as that of another channel. */
const textMail = candidate("sms", "mail")

const plan = branch(undefined, [branch("email", [mail, other]), branch("sms", [text])])

const vendorOf = ({ channel, provider: key }: Candidate): Vendor => ({
  _tag: "Vendor",
  key,
  channel,
  reaches: () => true,
  send: () => Effect.die("nobody is called")
})

interface World {
  readonly plan?: Branch
  readonly attempts?: ReadonlyArray<Attempt>
  /** Whose circuits are open, for an hour. */
  readonly open?: ReadonlyArray<Candidate>
  /** Whose crowded rate gates have sent the message away; it might come back by now. */
  readonly away?: ReadonlyArray<Candidate>
  /** Who is left out since the run began. */
  readonly out?: ReadonlyArray<Candidate>
}

/** Whether a call to this candidate is the next one still. */
const isNext = (one: Candidate, { attempts = [], away = [], open = [], out = [], plan: given = plan }: World = {}) => {
  const message = Fixture.message({ scope: Scope.make(1), shard: 1, at: now })
  const journey: Journey = {
    message: { ...message, attempts },
    since: now,
    plan: given,
    profile: {},
    data: {},
    providers: [mail, other, text, textMail].map(vendorOf),
    render: () => Effect.die("nothing is rendered"),
    addressed: (_, override) => Result.succeed(override),
    situation: { id: message.id, deadline: now + 86_400_000, waits: [wait, wait], unknownWait: 0 },
    preferences: undefined,
    events: [],
    epoch: 1,
    mayBegin: () => true,
    handedOver: Effect.never
  }
  const hand = Hand.make(journey, {
    breakers: Breakers.of({
      admit: () => Effect.undefined,
      openUntil: (key) =>
        open.some(({ channel, provider }) => key.includes(`:${channel}:${provider}:`)) ? now + 3_600_000 : undefined
    }),
    gates: RateGates.of({
      through: () => Effect.never,
      refused: () => false,
      taken: () => undefined,
      measure: Effect.void
    }),
    write: () => Effect.never,
    complain: () => Effect.void,
    spare: () => undefined,
    outgoing: (_, __, rendered) => rendered
  })
  hand.plan = without(given, out)
  hand.sentAway = away.map(({ channel, provider }) => ({ channel, provider, until: now - 1_000, comesBack: () => {} }))
  return Call.isNext({ hand, intent: Outcome.intent(attempts.length + 1, one, now) }, now)
}

const failed = (one: Candidate, endedAt: number): Attempt => ({
  ...Outcome.intent(1, one, endedAt),
  state: "rejected",
  kind: "Unavailable",
  endedAt
})

describe("A call that has waited", () => {
  it("is the next one still, or comes behind another in its routing", () => {
    assert.isTrue(isNext(mail))
    assert.isFalse(isNext(other))
    assert.isFalse(isNext(text))
  })

  it("is, of a provider that is left alone, since it finds out whether that is well; and is, since another is", () => {
    assert.isTrue(isNext(mail, { open: [mail, other, text] }))
    assert.isTrue(isNext(other, { open: [mail] }))
    assert.isTrue(isNext(text, { open: [mail, other] }))
  })

  it("does not give its turn to a provider that has sent the message away, though it might come back there by now", () => {
    assert.isTrue(isNext(other, { away: [mail] }))
    assert.isTrue(isNext(other, { away: [mail, other] }))
  })

  it("is none where only crowded gates keep the providers of an earlier channel from being called", () => {
    assert.isFalse(isNext(text, { away: [mail, other] }))
  })

  it("comes behind who has the name of its provider in another channel", () => {
    assert.isFalse(isNext(mail, { plan: branch(undefined, [branch("sms", [textMail]), branch("email", [mail])]) }))
  })

  it("is none before its time, and none any more once a provider has taken the message", () => {
    const only = branch(undefined, [branch("email", [mail])])
    assert.isFalse(isNext(mail, { plan: only, attempts: [failed(mail, now - wait / 2)] }))
    assert.isTrue(isNext(mail, { plan: only, attempts: [failed(mail, now - 2 * wait)] }))
    assert.isFalse(isNext(mail, { plan: only, attempts: [Outcome.accepted(Outcome.intent(1, mail, now), now)] }))
  })

  it("is where those before it are left out since the run began", () => {
    assert.isTrue(isNext(other, { out: [mail] }))
    assert.isTrue(isNext(text, { out: [mail, other] }))
  })
})
