import type { MessageId } from "#schemas/MessageId.ts"
import { encodePlace, start } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { accepted, instructions, messagesOf, open, pageOf, step } from "#test/contracts/ExpansionFixture.ts"
import { intents } from "#test/contracts/ExpansionIntents.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"

/** What every store of requests to many promises. */
export const expansionsContract = <E>(
  name: string,
  stores: Layer.Layer<Expansions | Journal | MessageLog | Profiles, E>
) =>
  layer(stores)(`Expansions: ${name}`, (it) => {
    intents(it)

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
        const last = step(given, {
          from: first.to,
          to: encodePlace({ index: 1 }),
          page: pageOf(given, ["b", "c"]),
          state: "COMPLETED",
          dueAt: null
        })
        assert.deepStrictEqual(yield* expansions.advance(last), { _tag: "Written", created: 1, intents: new Map() })
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
        yield* (yield* Journal).take(given.place.shard, "other", given.place.at)
        assert.deepStrictEqual(yield* expansions.advance(step(given)), { _tag: "Fenced" })
        assert.deepStrictEqual(yield* messagesOf(given), [])
        assert.deepStrictEqual((yield* open(given)).rows.map(({ place }) => place), [encodePlace(start)])
        const current = yield* expansions.advance(step(given, { owner: given.epoch + 1 }))
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

    it.effect("pages of requests show each once, the newest first, while others come", () =>
      Effect.gen(function*() {
        const { expansion, place } = yield* accepted()
        const log = yield* MessageLog
        const second = yield* accepted({ id: Fixture.id(place.at + 1) }, place)
        const first = yield* log.requests(place.scope, { state: "RUNNING", limit: 1, cursor: undefined })
        yield* accepted({ id: Fixture.id(place.at + 2) }, place)
        assert.deepStrictEqual(first.items.map(({ id }) => id), [second.expansion.id])
        const rest = yield* log.requests(place.scope, { state: "RUNNING", limit: 9, cursor: first.cursor })
        assert.deepStrictEqual([rest.items.map(({ id }) => id), rest.cursor], [[expansion.id], undefined])
        const other = log.requests(place.scope, { state: "FAILED", limit: 9, cursor: first.cursor })
        assert.strictEqual((yield* Effect.flip(other))._tag, "InvalidCursor")
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

    it.effect("requests that were not expanded are told of by their messages; those of others not at all", () =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const expansions = yield* Expansions
        const one = yield* Fixture.accepted(place)
        const found = yield* expansions.find(place.scope, one.requestId)
        assert.deepStrictEqual([found.state, found.messages, found.acceptedAt], ["COMPLETED", 1, place.at])
        const elsewhere = (yield* Fixture.world).scope
        assert.strictEqual((yield* Effect.flip(expansions.find(elsewhere, one.requestId)))._tag, "RequestNotFound")
        const given = yield* accepted()
        assert.strictEqual((yield* Effect.flip(expansions.find(elsewhere, given.expansion.id)))._tag, "RequestNotFound")
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

    it.effect("a member's message is no request, whoever asks by its id", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const { place } = given
        const expansions = yield* Expansions
        const log = yield* MessageLog
        yield* expansions.advance(step(given))
        const [member] = yield* messagesOf(given)
        assert.isDefined(member)
        if (member === undefined) return
        assert.strictEqual((yield* Effect.flip(expansions.find(place.scope, member.id)))._tag, "RequestNotFound")
        assert.strictEqual((yield* Effect.flip(log.archive(place.scope, member.id)))._tag, "RequestNotFound")
        const traced = yield* log.list(place.scope, { ...Fixture.anything, traceId: member.id })
        assert.deepStrictEqual(traced.items, [])
      }))

    it.effect("messages of a list are found by it, and an archived request hides the ones still to come", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const expansions = yield* Expansions
        const log = yield* MessageLog
        yield* expansions.advance(step(given))
        const byList = (list: string) =>
          Effect.map(log.list(given.place.scope, { ...Fixture.anything, list }), ({ items }) => items.length)
        assert.deepStrictEqual([yield* byList("everyone"), yield* byList("nobody")], [2, 0])
        yield* log.archive(given.place.scope, given.expansion.id)
        yield* expansions.advance(
          step(given, { from: step(given).to, to: encodePlace({ index: 1 }), page: pageOf(given, ["z"]) })
        )
        assert.deepStrictEqual(yield* messagesOf(given), [])
        assert.strictEqual(yield* byList("everyone"), 0)
        const all = yield* log.list(given.place.scope, { ...Fixture.anything, archived: true, list: "everyone" })
        assert.deepStrictEqual(all.items.map(({ archived }) => archived), [true, true, true])
        assert.isTrue((yield* expansions.find(given.place.scope, given.expansion.id)).archived)
      }))

    it.effect("a walk of a list meets each of its messages once, whatever was sent to others beside it", () =>
      Effect.gen(function*() {
        const first = yield* accepted()
        const { place } = first
        const expansions = yield* Expansions
        const log = yield* MessageLog
        yield* Fixture.accepted(place, { id: Fixture.id(place.at) })
        for (const [ms, list] of [[0, "everyone"], [0, "others"], [1, "everyone"], [2_000, "everyone"]] as const) {
          const given = yield* accepted({ id: Fixture.id(place.at + ms) }, place)
          yield* expansions.advance(step(given, { page: pageOf(given, ["a", "b", "c"], list) }))
        }
        const walk = Effect.fnUntraced(function*(cursor?: string): Effect.fn.Return<
          ReadonlyArray<MessageId>,
          Effect.Error<ReturnType<typeof log.list>>
        > {
          const page = yield* log.list(place.scope, { ...Fixture.anything, list: "everyone", limit: 2, cursor })
          const ids = page.items.map(({ id }) => id)
          return page.cursor === undefined ? ids : [...ids, ...yield* walk(page.cursor)]
        })
        const ids = yield* walk()
        assert.strictEqual(new Set(ids).size, 9)
        assert.deepStrictEqual(ids, ids.toSorted().toReversed())
      }))
  })
