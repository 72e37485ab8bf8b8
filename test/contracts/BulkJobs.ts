import type { BulkMessage, BulkUser } from "#schemas/Bulk.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import { Jobs, type NewUser } from "#src/delivery/bulk/Jobs.ts"
import { encodePlace, start as beginning } from "#src/delivery/Expansion.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as PageBytes from "#src/paging/PageBytes.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const definition: BulkMessage = {
  event: "welcome",
  data: { hostile: Fixture.hostile },
  override: { channel: { email: { subject: "a\u0000" } } }
}

const user = (name: string, error?: string): NewUser => ({
  key: `key ${name}`,
  user: { profile: { name, hostile: Fixture.hostile } } satisfies BulkUser,
  error
})

const start = Effect.gen(function*() {
  const place = yield* Fixture.world
  const jobs = yield* Jobs
  return { place, scope: place.scope, jobs, id: yield* jobs.create(place.scope, definition) }
})

type Started = Effect.Success<typeof start>

/** The request that a job is run as. */
const requestOf = ({ id, place: { shard }, scope }: Started, requestId: MessageId) => ({
  id: requestId,
  scope,
  shard,
  keyState: "published" as const,
  recipients: { bulk_job_id: id },
  instructions: {}
})

/** Everybody, page by page. */
const everybody = Effect.fnUntraced(function*({ id, jobs, scope }: Started, limit: number) {
  const all = []
  let cursor: string | undefined
  do {
    const page = yield* jobs.users(scope, id, { cursor, limit })
    all.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  return all
})

/** What every store of bulk jobs promises. */
export const bulkJobsContract = <E>(name: string, stores: Layer.Layer<Jobs | Journal | Expansions, E>) =>
  layer(stores)(`Bulk jobs: ${name}`, (it) => {
    it.effect("a job is what was asked for, and nobody's of another environment (P10)", () =>
      Effect.gen(function*() {
        const { id, jobs, scope } = yield* start
        const elsewhere = yield* start
        assert.deepStrictEqual(yield* jobs.find(scope, id), {
          id,
          definition,
          received: 0,
          failures: 0,
          requestId: undefined,
          running: undefined
        })
        for (
          const asked of [
            Effect.asVoid(jobs.find(elsewhere.scope, id)),
            Effect.asVoid(jobs.add(elsewhere.scope, id, [user("a")])),
            Effect.asVoid(jobs.close(elsewhere.scope, id)),
            Effect.asVoid(jobs.find(scope, "job_none"))
          ]
        ) assert.strictEqual((yield* Effect.flip(asked))._tag, "JobNotFound")
        assert.deepStrictEqual(yield* jobs.sendable(elsewhere.scope, id, 0, 10), { users: [], isLast: true })
      }))

    it.effect("I1: a job that was closed long ago and never accepted is run as a request of the present", () =>
      Effect.gen(function*() {
        const started = yield* start
        const { id, jobs, place, scope } = started
        const expansions = yield* Expansions
        const journal = yield* Journal
        yield* TestClock.setTime(place.at)
        const requestId = yield* jobs.close(scope, id)
        yield* TestClock.adjust("11 hours")
        assert.strictEqual(yield* jobs.close(scope, id), requestId)
        yield* TestClock.adjust("2 days")
        const renewed = yield* jobs.close(scope, id)
        assert.isTrue(renewed >= Ids.from(yield* Clock.currentTimeMillis))
        const expansion = requestOf(started, renewed)
        yield* journal.accept(Fixture.acceptance(place, [], { expansion }))
        assert.strictEqual((yield* expansions.find(scope, renewed)).state, "RUNNING")
        yield* TestClock.adjust("2 days")
        assert.strictEqual(yield* jobs.close(scope, id), renewed)
      }))

    it.effect("users come in the order in which they were added, each once, as first given", () =>
      Effect.gen(function*() {
        const started = yield* start
        const { id, jobs, scope } = started
        assert.deepStrictEqual([...(yield* jobs.add(scope, id, [user("b"), user("a", "nobody")]))], [])
        const again = { ...user("b"), user: { recipient: "another" } }
        assert.deepStrictEqual([...(yield* jobs.add(scope, id, [user("c"), again]))], ["key b"])
        const expected = [user("b"), user("a", "nobody"), user("c")].map((one, position) => ({ ...one, position }))
        for (const limit of [1, 2, 3, 10]) assert.deepStrictEqual(yield* everybody(started, limit), expected)
        const { failures, received } = yield* jobs.find(scope, id)
        assert.deepStrictEqual([received, failures], [3, 1])
        const another = yield* jobs.create(scope, definition)
        yield* jobs.add(scope, another, [user("d", "nobody")])
        assert.deepInclude(yield* jobs.find(scope, id), { received: 3, failures: 1 })
        assert.deepInclude(yield* jobs.find(scope, another), { received: 1, failures: 1 })
        const next = (from: number, limit: number) =>
          Effect.map(
            jobs.sendable(scope, id, from, limit),
            ({ isLast, users }) => [users.map(({ position }) => position), isLast]
          )
        assert.deepStrictEqual(yield* next(0, 10), [[0, 2], true])
        assert.deepStrictEqual(yield* next(0, 2), [[0, 2], true])
        assert.deepStrictEqual(yield* next(1, 10), [[2], true])
        assert.deepStrictEqual(yield* next(0, 1), [[0], false])
        assert.deepStrictEqual(yield* next(3, 1), [[], true])
      }))

    it.effect("a page ends where its users have much to say, and has one at least", () =>
      Effect.gen(function*() {
        const started = yield* start
        const { id, jobs, scope } = started
        const text = "x".repeat(PageBytes.most / 2)
        const added = ["a", "b", "c", "d"].map((name) => ({
          ...user(name),
          user: { data: { text: name === "d" ? text + text : text } }
        }))
        yield* Effect.forEach(added, (one) => jobs.add(scope, id, [one]))
        const sizes = []
        let from = 0
        for (let isLast = false; !isLast;) {
          const batch = yield* jobs.sendable(scope, id, from, 100)
          sizes.push(batch.users.length)
          from += batch.users.length
          isLast = batch.isLast
        }
        assert.deepStrictEqual(sizes, [2, 2])
        const { cursor, items } = yield* jobs.users(scope, id, { cursor: undefined, limit: 100 })
        assert.lengthOf(items, 2)
        assert.isDefined(cursor)
        assert.deepStrictEqual((yield* everybody(started, 100)).map(({ key }) => key), added.map(({ key }) => key))
      }))

    it.effect("callers who add at once lose nobody and double nobody", () =>
      Effect.gen(function*() {
        const started = yield* start
        const { id, jobs, scope } = started
        const batches = Array.from({ length: 6 }, (_, batch) =>
          Array.from({ length: 5 }, (_, n) => user(`${batch % 3} ${n}`)))
        yield* Effect.forEach(batches, (batch) =>
          jobs.add(scope, id, batch), { concurrency: "unbounded" })
        const all = yield* everybody(started, 7)
        assert.deepStrictEqual(all.map(({ position }) => position), Array.from({ length: 15 }, (_, n) => n))
        assert.strictEqual(new Set(all.map(({ key }) => key)).size, 15)
        assert.strictEqual((yield* jobs.find(scope, id)).received, 15)
      }))

    it.effect("a job that is run takes no more users, is one request however often it is run, and tells how far that is", () =>
      Effect.gen(function*() {
        const started = yield* start
        const { id, jobs, place, scope } = started
        yield* jobs.add(scope, id, [user("a"), user("b")])
        const requestId = yield* jobs.close(scope, id)
        assert.strictEqual(yield* jobs.close(scope, id), requestId)
        assert.strictEqual((yield* Effect.flip(jobs.add(scope, id, [user("c")])))._tag, "JobClosed")
        const closed = yield* jobs.find(scope, id)
        assert.deepStrictEqual([closed.requestId, closed.running], [requestId, undefined])

        const journal = yield* Journal
        const { epoch } = yield* journal.take(place.shard, "node", place.at)
        const expansion = requestOf(started, requestId)
        yield* journal.accept({ ...Fixture.acceptance(place, []), expansion })
        const running = yield* jobs.find(scope, id)
        assert.deepStrictEqual(running.running, { state: "RUNNING", messages: 0, index: 0, isNumbered: false })
        const step = {
          expansion,
          owner: epoch,
          at: place.at,
          from: encodePlace(beginning),
          to: encodePlace({ index: 1 }),
          page: undefined,
          tries: 0,
          epoch,
          state: "RUNNING" as const,
          dueAt: 0
        }
        const expansions = yield* Expansions
        yield* expansions.advance(step)
        const further = yield* jobs.find(scope, id)
        assert.deepStrictEqual(further.running, { state: "RUNNING", messages: 0, index: 1, isNumbered: false })
        yield* expansions.advance({ ...step, from: step.to, to: encodePlace({ index: 2, made: 2 }) })
        const numbered = yield* jobs.find(scope, id)
        assert.deepStrictEqual(numbered.running, { state: "RUNNING", messages: 0, index: 2, isNumbered: true })
      }))
  })
