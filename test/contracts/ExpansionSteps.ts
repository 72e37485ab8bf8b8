import { encodePlace, start } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal, type StepResult } from "#src/delivery/Journal.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { UserId } from "#schemas/Profile.ts"
import { accepted, instructions, messagesOf, open, pageOf, step } from "#test/contracts/ExpansionFixture.ts"
import { Effect, Option } from "effect"
import { assert, type Vitest } from "@effect/vitest"

/** What a step writes: a page of messages and the place, in one commit. */
export const steps = (it: Vitest.MethodsNonLive<Expansions | Journal | MessageLog | Profiles>) => {
  it.effect("A6: page and place are one commit, and a step that is repeated changes nothing", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const expansions = yield* Expansions
      assert.deepStrictEqual(yield* expansions.advance(step(given)), {
        _tag: "Written",
        created: 2,
        intents: new Map()
      })
      assert.deepStrictEqual(yield* expansions.advance(step(given)), { _tag: "Passed" })
      assert.deepStrictEqual(
        yield* expansions.advance(step(given, { page: pageOf(given, ["c"]) })),
        { _tag: "Passed" }
      )
      const messages = yield* messagesOf(given)
      assert.deepStrictEqual(messages.map(({ recipient, status }) => [recipient, status]), [["a", "ENQUEUED"], [
        "b",
        "ENQUEUED"
      ]])
      assert.deepStrictEqual((yield* open(given)).rows.map(({ place }) => place), [step(given).to])
      const { endedAt, messages: made } = yield* expansions.find(given.place.scope, given.expansion.id)
      assert.deepStrictEqual([made, endedAt], [2, undefined])
    }))

  it.effect("a person met again, in this page or a later one, is one message", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const expansions = yield* Expansions
      const first = step(given, { page: pageOf(given, ["a", "b", "a"]) })
      assert.deepStrictEqual(yield* expansions.advance(first), { _tag: "Written", created: 2, intents: new Map() })
      const page = pageOf(given, ["b", "c"])
      const last = step(given, {
        from: first.to,
        to: encodePlace({ index: 1 }),
        page,
        state: "COMPLETED",
        dueAt: null
      })
      const refused: StepResult = { _tag: "Refused" }
      const [again = assert.fail("the page has members")] = page?.members ?? []
      assert.deepStrictEqual(yield* expansions.advance(last), {
        _tag: "Written",
        created: 1,
        intents: new Map([[again.id, refused]])
      })
      assert.deepStrictEqual((yield* messagesOf(given)).map(({ recipient }) => recipient), ["a", "b", "c"])
      const found = yield* expansions.find(given.place.scope, given.expansion.id)
      assert.deepStrictEqual([found.state, found.messages, found.endedAt], ["COMPLETED", 3, last.at])
      assert.deepStrictEqual((yield* open(given)).rows, [])
      assert.deepStrictEqual(yield* expansions.advance({ ...last, from: last.to, dueAt: 0 }), { _tag: "Passed" })
    }))

  it.effect("P2: a stale owner's page is fenced and nothing of it is written", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const expansions = yield* Expansions
      const { epoch: owner } = yield* (yield* Journal).take(given.place.shard, "other", given.place.at)
      assert.deepStrictEqual(yield* expansions.advance(step(given)), { _tag: "Fenced" })
      assert.deepStrictEqual(yield* messagesOf(given), [])
      assert.deepStrictEqual((yield* open(given)).rows.map(({ place }) => place), [encodePlace(start)])
      const current = yield* expansions.advance(step(given, { owner }))
      assert.deepStrictEqual(current, { _tag: "Written", created: 2, intents: new Map() })
    }))

  it.effect("a row of the page that the database refuses fails the step, and nothing of it is written", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const expansions = yield* Expansions
      const failed = yield* Effect.flip(expansions.advance(step(given, { page: pageOf(given, ["a", "b\u0000"]) })))
      assert.strictEqual(failed._tag, "RowRefused")
      assert.deepStrictEqual(yield* messagesOf(given), [])
    }))

  it.effect("what a try that failed left in words goes with the page that follows, unless it says something", () =>
    Effect.gen(function*() {
      const given = yield* accepted()
      const expansions = yield* Expansions
      const told = Effect.map(expansions.find(given.place.scope, given.expansion.id), ({ error }) => error)
      const from = encodePlace(start)
      yield* expansions.advance(step(given, { to: from, page: undefined, tries: 1, error: "It failed" }))
      yield* expansions.advance(step(given, { to: from, page: undefined, tries: 2 }))
      assert.strictEqual(yield* told, "It failed")
      yield* expansions.advance(step(given, { error: null }))
      assert.isUndefined(yield* told)
      yield* expansions.advance(
        step(given, { from: step(given).to, to: encodePlace({ index: 1 }), error: "No list" })
      )
      assert.strictEqual(yield* told, "No list")
    }))

  it.effect("delayed members wait with a line in their timeline; users to be created are", () =>
    Effect.gen(function*() {
      const given = yield* accepted({ instructions: { ...instructions, delay: { duration: 60_000 } } })
      const expansions = yield* Expansions
      const page = pageOf(given, ["a"])
      assert.isDefined(page)
      if (page === undefined) return
      const profiles = [{ scope: given.place.scope, userId: "a", profile: { email: "a@example.com" } }]
      yield* expansions.advance(step(given, { page: { ...page, profiles } }))
      const [message] = yield* messagesOf(given)
      assert.strictEqual(message?.status, "DELAYED")
      if (message === undefined) return
      const history = yield* (yield* MessageLog).history(given.place.scope, message.id)
      assert.deepStrictEqual(history.map(({ type }) => type), ["ENQUEUED", "DELAYED"])
      assert.deepStrictEqual(
        yield* (yield* Profiles).find(given.place.scope, UserId.make("a")),
        Option.some({ email: "a@example.com" })
      )
    }))
}
