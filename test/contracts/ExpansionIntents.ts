import type { Advance, Advanced } from "#src/delivery/expansion/Expansions.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal, type Step } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { accepted, type Accepted, messagesOf, pageOf, step } from "#test/contracts/ExpansionFixture.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"

const rendered = {
  title: "Hello",
  subject: "Hello",
  body: "World",
  text: "World",
  html: "<p>World</p>",
  blocks: [],
  actions: []
}

type Members = NonNullable<Advance["page"]>["members"]

/** The page of these users, all in the shard of the expansion. */
const page = (given: Accepted, users: ReadonlyArray<string>, shard = given.place.shard) => {
  const { common, members, profiles } = pageOf(given, users) ?? assert.fail("there is a page")
  return { common, profiles, members: members.map((member) => ({ ...member, shard })) }
}

/** What a message of a page comes to first: the intent of a call, with its lines, in a tenant and of a template that were found meanwhile. */
const intentOf = (
  { place: { at, scope } }: Accepted,
  { id, recipient, shard }: Members[number],
  epoch: number
): Step => ({
  message: {
    id,
    scope,
    shard,
    lane: "bulk",
    dueAt: 0,
    recipient: Object.assign({}, recipient, { tenant_id: "acme" }),
    templateId: "found"
  },
  epoch,
  at: at + 4,
  attempt: Fixture.attempt(1, "intent", { startedAt: at + 4 }),
  lifecycle: ["Route"],
  conditional: true,
  events: [
    { type: "MAPPED", ts: at + 4 },
    { type: "RENDERED", ts: at + 4, channel: "email", provider: "null", attempt: 1, output: rendered },
    { type: "DELIVERING", ts: at + 4, channel: "email", provider: "null", attempt: 1 }
  ]
})

/** All that readers and the next owner find of a message. */
const traces = Effect.fnUntraced(function*({ place: { at, scope } }: Accepted, { id, shard }: Members[number]) {
  const log = yield* MessageLog
  const { id: _, requestId: _request, ...record } = yield* log.get(scope, id)
  const { rows } = yield* (yield* Journal).due(Fixture.window({ at: at + 10, shard }))
  return {
    record: { ...record, enqueued: record.enqueued - at },
    attempts: (yield* log.attempts(scope, id)).map(({ startedAt, ...attempt }) => ({
      ...attempt,
      startedAt: startedAt - at
    })),
    history: (yield* log.history(scope, id)).map(({ ts, ...line }) => ({ ...line, ts: ts - at })),
    row: rows.filter((row) => row.id === id).map(({ attempts, dueAt, status, tenantId }) => ({
      attempts: attempts.length,
      dueAt,
      status,
      tenantId
    }))
  }
})

const begun = (result: Advanced) =>
  result._tag === "Written"
    ? [...result.intents].flatMap(([id, { _tag }]) => _tag === "Written" ? [id] : [])
    : result

/** What a page promises whose messages are stored with the intents of their first calls. */
export const intents = (it: Vitest.MethodsNonLive<Expansions | Journal | MessageLog>) => {
  it.effect("P4: messages stored with their intents are as if each intent had been written after its message", () =>
    Effect.gen(function*() {
      const expansions = yield* Expansions
      const journal = yield* Journal
      const users = ["a", "b", "c"]

      const together = yield* accepted()
      const first = page(together, users)
      const [, b] = first.members
      const steps = first.members.filter((member) => member !== b).map((member) =>
        intentOf(together, member, together.epoch)
      )
      const written = yield* expansions.advance(step(together, { page: first, intents: steps }))
      assert.deepStrictEqual(begun(written), steps.map(({ message }) => message.id))
      for (const result of written._tag === "Written" ? written.intents.values() : []) {
        assert.deepInclude(result, { _tag: "Written", status: "ROUTED" })
      }

      const apart = yield* accepted()
      const second = page(apart, users)
      yield* expansions.advance(step(apart, { page: second }))
      for (const [place, member] of second.members.entries()) {
        if (place !== 1) yield* journal.record(intentOf(apart, member, apart.epoch))
      }

      for (const [place, member] of first.members.entries()) {
        const other = second.members[place] ?? assert.fail("both pages are of the same users")
        assert.deepStrictEqual(yield* traces(together, member), yield* traces(apart, other))
      }
    }))

  it.effect("a step repeated after a commit that nobody heard of is known by its intent", () =>
    Effect.gen(function*() {
      const expansions = yield* Expansions
      const given = yield* accepted()
      const made = page(given, ["a"])
      const steps = made.members.map((member) => intentOf(given, member, given.epoch))
      yield* expansions.advance(step(given, { page: made, intents: steps }))
      assert.deepStrictEqual(yield* expansions.advance(step(given, { page: made, intents: steps })), { _tag: "Passed" })
      for (const one of steps) {
        assert.deepInclude(yield* (yield* Journal).record(one), { _tag: "Written", status: "ROUTED" })
      }
    }))

  it.effect("who has the message already has no second intent, and keeps what became of it", () =>
    Effect.gen(function*() {
      const expansions = yield* Expansions
      const given = yield* accepted()
      const first = step(given, { page: page(given, ["a"]) })
      yield* expansions.advance(first)
      const made = page(given, ["a", "b"])
      const steps = made.members.map((member) => intentOf(given, member, given.epoch))
      const written = yield* expansions.advance(
        step(given, { from: first.to, to: "further", page: made, intents: steps })
      )
      const [known = assert.fail("the page has members"), ...fresh] = made.members.map(({ id }) => id)
      assert.deepStrictEqual(begun(written), fresh)
      // Nobody writes it by itself: it may have the very time of the one that the message has.
      const resultOf = (advanced: Advanced) => advanced._tag === "Written" ? advanced.intents.get(known) : undefined
      assert.deepStrictEqual(resultOf(written), { _tag: "Refused" })
      // Nor if it comes to its intent only after the page.
      const late = yield* expansions.advance(step(given, { from: "further", to: "yet further", page: made }))
      assert.deepStrictEqual([late._tag, resultOf(late)], ["Written", { _tag: "Refused" }])
      const messages = yield* messagesOf(given)
      assert.deepStrictEqual(messages.map(({ recipient, status }) => [recipient, status]), [["a", "ENQUEUED"], [
        "b",
        "ROUTED"
      ]])
    }))

  it.effect("P2: a message whose shard has another owner is stored, and the intent of the one before is not", () =>
    Effect.gen(function*() {
      const expansions = yield* Expansions
      const journal = yield* Journal
      const given = yield* accepted()
      const { shard } = yield* Fixture.world
      const { epoch } = yield* journal.take(shard, "node", given.place.at)
      yield* journal.take(shard, "other", given.place.at)
      const made = page(given, ["a"], shard)
      const steps = made.members.map((member) => intentOf(given, member, epoch))
      assert.deepStrictEqual(begun(yield* expansions.advance(step(given, { page: made, intents: steps }))), [])
      assert.deepStrictEqual((yield* messagesOf(given)).map(({ status }) => status), ["ENQUEUED"])
      for (const { id } of made.members) {
        assert.deepStrictEqual(yield* (yield* MessageLog).attempts(given.place.scope, id), [])
      }
    }))

  it.effect("P2: nothing of a stale owner's page is written, its intents included", () =>
    Effect.gen(function*() {
      const expansions = yield* Expansions
      const journal = yield* Journal
      const given = yield* accepted()
      yield* journal.take(given.place.shard, "other", given.place.at)
      const made = page(given, ["a"])
      const steps = made.members.map((member) => intentOf(given, member, given.epoch))
      assert.deepStrictEqual(yield* expansions.advance(step(given, { page: made, intents: steps })), { _tag: "Fenced" })
      assert.deepStrictEqual(yield* messagesOf(given), [])
      for (const one of steps) assert.deepStrictEqual(yield* journal.record(one), { _tag: "Fenced" })
    }))
}
