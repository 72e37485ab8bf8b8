import type { MessageId } from "#schemas/MessageId.ts"
import { encodePlace, start } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { Profiles } from "#src/people/Profiles.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { Scope } from "#schemas/Scope.ts"
import { accepted, instructions, messagesOf, open, step } from "#test/contracts/ExpansionFixture.ts"
import { intents } from "#test/contracts/ExpansionIntents.ts"
import { reads } from "#test/contracts/ExpansionReads.ts"
import { steps } from "#test/contracts/ExpansionSteps.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Effect, type Layer } from "effect"
import { assert, layer } from "@effect/vitest"

/** What every store of requests to many promises. */
export const expansionsContract = <E>(
  name: string,
  stores: Layer.Layer<Expansions | Journal | MessageLog | Profiles, E>
) =>
  layer(stores)(`Expansions: ${name}`, (it) => {
    intents(it)
    steps(it)
    reads(it)

    it.effect("P1: an accepted request to many is open at its start, as it was written", () =>
      Effect.gen(function*() {
        const recipients = [{ list_id: "everyone", data: { text: "a\u0000b \ud800" } }, { user_id: "ada" }]
        const given = yield* accepted({ recipients })
        const { next, rows } = yield* open(given)
        assert.strictEqual(next, undefined)
        assert.deepStrictEqual(
          rows,
          [{
            id: given.expansion.id,
            scope: given.place.scope,
            shard: given.place.shard,
            keyState: "published",
            recipients: JSON.stringify(recipients),
            instructions: JSON.stringify(instructions),
            place: encodePlace(start),
            tries: 0,
            epoch: 0,
            acceptedAt: given.place.at
          }]
        )
        assert.deepStrictEqual(yield* Expansions.use((_) => _.find(given.place.scope, given.expansion.id)), {
          id: given.expansion.id,
          state: "RUNNING",
          messages: 0,
          acceptedAt: given.place.at,
          endedAt: undefined,
          error: undefined,
          archived: false
        })
      }))

    it.effect("P5: the request and its key commit together, and a replay stores no second one", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const journal = yield* Journal
        const key = Fixture.key(given.place)
        const requests = [Fixture.id(given.place.at), Fixture.id(given.place.at)]
        const answers = yield* Effect.forEach(requests, (id) =>
          journal.accept({
            ...given.acceptance,
            key,
            response: Fixture.response(id),
            expansion: { ...given.expansion, id }
          }))
        assert.deepStrictEqual(answers.map(({ replayed }) => replayed), [false, true])
        assert.deepStrictEqual(answers.map(({ response }) => response.body), [`${requests[0]}`, `${requests[0]}`])
        const { rows } = yield* open(given)
        assert.deepStrictEqual(
          new Set(rows.map(({ id }) => id)),
          new Set<MessageId | undefined>([given.expansion.id, requests[0]])
        )
      }))

    it.effect("turns: the one that was left alone longest comes first; one that pauses comes when it is due", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const expansions = yield* Expansions
        const second = { ...given.expansion, id: Fixture.id(given.place.at) }
        yield* (yield* Journal).accept({ ...given.acceptance, expansion: second, at: given.place.at + 1 })
        const order = Effect.map(open(given), ({ rows }) => rows.map(({ id }) => id))
        assert.deepStrictEqual(yield* order, [given.expansion.id, second.id])
        const to = encodePlace({ index: 0, after: { group: "", userId: "a" } })
        yield* expansions.advance(step(given, { to }))
        assert.deepStrictEqual(yield* order, [second.id, given.expansion.id])
        const dueAt = given.place.at + 5_000
        yield* expansions.advance(step(given, { from: to, page: undefined, tries: 1, dueAt }))
        assert.deepStrictEqual(yield* order, [second.id])
        assert.strictEqual((yield* open(given)).next, dueAt)
        const { rows } = yield* open(given, dueAt)
        assert.deepStrictEqual(rows.map(({ id, tries }) => [id, tries]), [[second.id, 0], [given.expansion.id, 1]])
      }))

    it.effect("one that was set aside is found among those that failed, and goes on from where it stands", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const { expansion, place } = given
        const expansions = yield* Expansions
        const log = yield* MessageLog
        const asked = { state: "FAILED" as const, limit: 1, cursor: undefined }
        const failed = Effect.map(log.requests(place.scope, asked), ({ items }) => items.map(({ id }) => id))
        yield* expansions.resume(place.scope, expansion.id)
        assert.deepStrictEqual((yield* open(given)).rows.map(({ tries }) => tries), [0])
        yield* expansions.advance(step(given))
        const { to } = step(given)
        const aside = { from: to, to, page: undefined, tries: 5, epoch: 0, dueAt: null, error: "Quarantined" }
        yield* expansions.advance(step(given, { ...aside, state: "FAILED" }))
        assert.deepStrictEqual((yield* open(given)).rows, [])
        assert.deepStrictEqual(yield* failed, [expansion.id])
        yield* expansions.resume((yield* Fixture.world).scope, expansion.id)
        assert.deepStrictEqual((yield* open(given)).rows, [])
        yield* expansions.resume(place.scope, expansion.id)
        assert.deepStrictEqual(yield* failed, [])
        const { rows } = yield* open(given)
        assert.deepStrictEqual(rows.map(({ epoch, place, tries }) => [place, tries, epoch]), [[to, 0, 0]])
        const found = yield* expansions.find(place.scope, expansion.id)
        assert.deepStrictEqual([found.state, found.messages, found.error, found.endedAt], [
          "RUNNING",
          2,
          undefined,
          undefined
        ])
        yield* expansions.advance(step(given, { from: to, page: undefined, state: "COMPLETED", dueAt: null }))
        yield* expansions.resume(place.scope, expansion.id)
        assert.strictEqual((yield* expansions.find(place.scope, expansion.id)).state, "COMPLETED")
      }))

    it.effect("P10: a request goes on alone, though another environment's has its id", () =>
      Effect.gen(function*() {
        const mine = yield* accepted()
        const { expansion: { id }, place } = mine
        const elsewhere = { ...place, scope: Scope.make(place.scope + 500_000) }
        const theirs = yield* accepted({ id }, elsewhere)
        const expansions = yield* Expansions
        const before = yield* expansions.find(elsewhere.scope, id)
        yield* expansions.advance(step({ ...mine, epoch: theirs.epoch }, { state: "COMPLETED", dueAt: null }))
        assert.deepInclude(yield* expansions.find(place.scope, id), { state: "COMPLETED", messages: 2 })
        assert.deepStrictEqual(yield* expansions.find(elsewhere.scope, id), before)
        assert.deepInclude(yield* expansions.advance(step(theirs)), { _tag: "Written", created: 2 })
        assert.strictEqual((yield* messagesOf(mine)).length, 2)
      }))
  })
