import { Scope } from "#schemas/Scope.ts"
import { Submissions } from "#src/content/Submissions.ts"
import { Templates } from "#src/content/Templates.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal, type Step } from "#src/delivery/Journal.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Outbox } from "#src/reports/webhooks/Outbox.ts"
import type { Webhooks } from "#src/reports/Webhooks.ts"
import * as ExpansionFixture from "#test/contracts/ExpansionFixture.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as OutboxFixture from "#test/contracts/OutboxFixture.ts"
import * as TemplateFixture from "#test/contracts/TemplateFixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

type Stores =
  | Audiences
  | AudienceSteps
  | Expansions
  | Journal
  | Outbox
  | Profiles
  | Submissions
  | Templates
  | Webhooks

/** What is stored for webhooks to be told. */
export const events = (it: Vitest.MethodsNonLive<Stores>) => {
  it.effect("P1: each status of a message is stored with it, once, by whichever door it came", () =>
    Effect.gen(function*() {
      const { at, place, scope, shard, told, webhook } = yield* OutboxFixture.start
      yield* TestClock.setTime(at + 1_000)
      const journal = yield* Journal
      const { id: hook } = yield* webhook()
      const { epoch } = yield* journal.take(shard, "node", at)
      const message = Fixture.message(place)
      const accepting = journal.accept(Fixture.acceptance(place, [message]))
      yield* accepting
      yield* accepting
      const next = Effect.map(told(), (found) => (found.get(hook) ?? []).map((text) => text.replace(message.id, "it")))
      assert.deepStrictEqual(yield* next, ["it ENQUEUED"])
      const step = (more: Partial<Step>) => journal.record(Fixture.step(message, epoch, more))
      const intent = { lifecycle: ["Route"], attempt: Fixture.attempt(1, "intent"), conditional: true } as const
      yield* step({ ...intent, at: at + 20 })
      yield* step({ ...intent, at: at + 20 })
      assert.deepStrictEqual(yield* next, ["it ROUTED"])
      // Nothing is said of what leaves the status as it is, is refused, or comes from an owner of before.
      yield* step({ at: at + 21, dueAt: at + 5_000 })
      yield* step({ at: at + 22, lifecycle: ["Delay"], conditional: true })
      yield* journal.record(Fixture.step(message, epoch - 1, { lifecycle: ["Send"] }))
      assert.deepStrictEqual(yield* next, [])
      const settle = { lifecycle: ["Send"], attempt: Fixture.attempt(1, "accepted"), dueAt: null } as const
      yield* step({ ...settle, at: at + 30 })
      yield* step({ ...settle, at: at + 31 })
      assert.deepStrictEqual(yield* next, ["it SENT"])
      const observe = (event: "Click" | "Deliver" | "Open", after: number) =>
        journal.observe({ scope, id: message.id, event, history: { type: "OPENED", ts: at + after } })
      yield* observe("Open", 40)
      yield* observe("Open", 41)
      yield* observe("Deliver", 42)
      assert.deepStrictEqual(yield* next, ["it OPENED"])
      yield* journal.observeAll([
        { scope, id: message.id, event: "Click", history: { type: "CLICKED", ts: at + 50 } },
        { scope, id: message.id, event: "Open", history: { type: "OPENED", ts: at + 51 } }
      ])
      assert.deepStrictEqual(yield* next, ["it CLICKED"])
      const other = yield* Fixture.accepted(place)
      yield* journal.observe({ scope, id: other.id, event: "Cancel", history: { type: "CANCELED", ts: at } })
      assert.deepStrictEqual((yield* told()).get(hook)?.toSorted(), [`${other.id} CANCELED`, `${other.id} ENQUEUED`])
    }))

  it.effect("P1: the messages of a request to many are stored with what is to be told of them, once", () =>
    Effect.gen(function*() {
      const { at, place, told, webhook } = yield* OutboxFixture.start
      yield* TestClock.setTime(at + 1_000)
      const expansions = yield* Expansions
      const { id: hook } = yield* webhook()
      const given = yield* ExpansionFixture.accepted({}, place)
      const step = ExpansionFixture.step(given)
      yield* expansions.advance(step)
      yield* expansions.advance(step)
      const ids = step.page?.members.map(({ id }) => `${id} ENQUEUED`) ?? []
      assert.strictEqual(ids.length, 2)
      assert.deepStrictEqual((yield* told()).get(hook)?.toSorted(), ids.toSorted())
    }))

  it.effect("P10: a webhook hears of its own environment, and of what it wants to know; a disabled one of nothing", () =>
    Effect.gen(function*() {
      const { place, told, webhook, webhooks } = yield* OutboxFixture.start
      const all = yield* webhook()
      const these = yield* webhook({ types: ["message:updated"] })
      yield* webhook({ types: ["notification:published"] })
      yield* webhook({ state: "DISABLED" })
      yield* webhook({}, Scope.make(place.scope + 500_000))
      const late = yield* webhook({ state: "DISABLED" })
      const { id } = yield* Fixture.accepted(place)
      const happened = [`${id} ENQUEUED`]
      assert.deepStrictEqual(yield* told(), new Map([[all.id, happened], [these.id, happened]]))
      yield* webhooks.replace(place.scope, late.id, { ...late, state: "ENABLED" })
      yield* webhooks.remove(place.scope, all.id)
      const second = yield* Fixture.accepted(place)
      assert.deepStrictEqual([...(yield* told()).keys()].toSorted(), [these.id, late.id].toSorted())
      yield* webhooks.replace(place.scope, these.id, { ...these, types: ["audiences:updated"] })
      yield* webhooks.remove(place.scope, late.id)
      yield* Fixture.accepted(place)
      assert.deepStrictEqual(yield* told(), new Map(), `nobody is left who wants to hear of ${second.id}`)
    }))

  it.effect("templates that go live, are submitted, and withdrawn are told of", () =>
    Effect.gen(function*() {
      const { at, scope, told, webhook } = yield* OutboxFixture.start
      const templates = yield* Templates
      const submissions = yield* Submissions
      const { id: hook } = yield* webhook()
      const draft = { template: TemplateFixture.template("Welcome"), alias: undefined }
      const { id } = yield* templates.create(scope, { ...draft, publish: false })
      yield* templates.publish(scope, id, undefined)
      yield* templates.publish(scope, id, undefined)
      const live = JSON.stringify({ id, published_at: at })
      assert.deepStrictEqual((yield* told()).get(hook), [`notification:published ${live}`])
      const submission = yield* submissions.submit(scope, id)
      yield* submissions.withdraw(scope, id, submission)
      yield* Effect.flip(submissions.submit(scope, "none"))
      yield* Effect.flip(submissions.withdraw(scope, id, submission))
      assert.deepStrictEqual((yield* told()).get(hook)?.toSorted(), [
        `notification:submission_canceled ${JSON.stringify({ id, submission_id: submission, canceled_at: at })}`,
        `notification:submitted ${JSON.stringify({ id, submission_id: submission })}`
      ])
      const other = yield* templates.create(scope, { ...draft, publish: true })
      assert.deepStrictEqual((yield* told()).get(hook), [
        `notification:published ${JSON.stringify({ id: other.id, published_at: at })}`
      ])
    }))

  it.effect("audiences that change, who joins and leaves them, and the end of a count are told of", () =>
    Effect.gen(function*() {
      const { scope, told, webhook } = yield* OutboxFixture.start
      const audiences = yield* Audiences
      const profiles = yield* Profiles
      const { advance } = yield* AudienceSteps
      const judged = Effect.repeat(advance, { while: (more) => more })
      const live = (city: string) => profiles.replace(scope, UserId.make("ada"), { city })
      yield* live("Rome")
      yield* profiles.replace(scope, UserId.make("bob"), { city: "Oslo" })
      yield* judged
      const { id: hook } = yield* webhook()
      const next = Effect.map(
        told(),
        (found) => (found.get(hook) ?? []).map((text) => text.replace(/,"reason":.*/, ""))
      )
      const filter = { filters: [{ operator: "EQ", path: "city", value: "Rome" }] } as const
      yield* audiences.put(scope, "a", { name: "A", description: "", filter, operator: undefined })
      yield* judged
      assert.deepStrictEqual((yield* next).toSorted(), [
        "audiences:calculated " +
        JSON.stringify({ audience_id: "a", user_count: 1, total_users: 2, total_users_filtered: 1 }),
        "audiences:updated " + JSON.stringify({ audience_id: "a", audience_version: 1, filter }),
        `audiences:user:matched {"audience_id":"a","audience_version":1,"user_id":"ada"`
      ])
      yield* live("Rome")
      yield* judged
      assert.deepStrictEqual(yield* next, [])
      yield* live("Bari")
      yield* judged
      assert.deepStrictEqual(yield* next, [
        `audiences:user:unmatched {"audience_id":"a","audience_version":1,"user_id":"ada"`
      ])
      const empty = { filters: [{ operator: "EQ", path: "city", value: "Oslo" }] } as const
      yield* audiences.put(scope, "a", { name: "A", description: "", filter: empty, operator: undefined })
      yield* judged
      assert.includeMembers([...yield* next], [
        `audiences:user:matched {"audience_id":"a","audience_version":2,"user_id":"bob"`
      ])
      yield* audiences.remove(scope, "a")
      yield* judged
      assert.deepStrictEqual(yield* next, [
        `audiences:user:unmatched {"audience_id":"a","audience_version":2,"user_id":"bob"`
      ])
    }))
}
