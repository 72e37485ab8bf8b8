import * as Search from "#layers/postgres/messagelog/Search.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { MessageLog, type MessageQuery, type MessageRecord } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { waiting } from "#test/support/Waiting.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const scope = Scope.make(1)
const now = Date.UTC(2026, 10, 21)

/** A message every ten minutes for two weeks, every 300th of them undeliverable. */
const stored = 2_000
const wanted = Array.range(1, stored).filter((n) => n % 300 === 0)
const enqueuedAt = (n: number) => now - n * 600_000

const prepare = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(now)
  yield* sql`delete from messages where scope = ${scope}`
  yield* sql.unsafe(
    `insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
      recipient_name, enqueued_at, recipient, instructions, trace_id, list_id)
    select 1, id, id, 1, 'bulk', '', 'published', case when n % 300 = 0 then 'UNDELIVERABLE' else 'SENT' end, '', '',
      'ada', ${now} - n * 600000::bigint, '{}', '{}', 'campaign', 'news'
    from (select n, '1-' || to_hex(${now / 1_000} - n * 600) || '-' || lpad(n::text, 24, '0') as id
      from generate_series(1, ${stored}) n) x`
  )
  yield* sql`insert into list_requests (scope, list_id, request_id) select scope, list_id, request_id from messages
    where scope = ${scope} on conflict do nothing`
})

const query: MessageQuery = { ...Fixture.anything, statuses: ["UNDELIVERABLE"], limit: 2 }

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)), { timeout: "60 seconds" })(
  "A search for what is rare",
  (it) => {
    it.effect.each([{}, { traceId: "campaign" }, { recipient: "ada" }, { list: "news" }])(
      "answers when its time is over, and its cursors lead to all that is wanted, in order and once: %j",
      (named) =>
        Effect.gen(function*() {
          yield* prepare
          const log = yield* MessageLog
          const pagesAt = Effect.fnUntraced(function*(pace: typeof Search.Pace.Service) {
            const pages: Array<ReadonlyArray<MessageRecord>> = []
            for (let cursor: string | undefined, isOver = false; !isOver;) {
              const page = yield* log.list(scope, { ...query, ...named, cursor }).pipe(
                Effect.provideService(Search.Pace, pace)
              )
              pages.push(page.items)
              cursor = page.cursor
              isOver = cursor === undefined
            }
            return pages
          })
          // Each message of the list is of a request of its own, all of which are looked through for each stretch.
          const shortest = "list" in named ? [] : [[1, 7]] as const
          for (const [first, next] of [...shortest, [100, 299], [100, 300], [299, 301], [1_000, 5_000]] as const) {
            const hurried = yield* pagesAt({ time: 0, first, next })
            assert.deepStrictEqual(hurried.flat().map(({ enqueued }) => enqueued), wanted.map(enqueuedAt))
            // A page ends with its first stretch, or with one more where days begin that are looked through apart.
            assert.isAtLeast(hurried.length, stored / first / 2)
            assert.isAtMost(Math.max(...hurried.map((page) => page.length)), query.limit)
            const patient = yield* pagesAt({ time: "1 minute", first, next })
            assert.deepStrictEqual(patient.map((page) => page.length), [2, 2, 2])
            assert.deepStrictEqual(patient.flat(), hurried.flat())
          }
        })
    )

    /** Searches that go on for long, more than may. */
    const long = Effect.gen(function*() {
      yield* prepare
      const log = yield* MessageLog
      const searches = yield* Effect.forEach(Array.range(1, 6), () =>
        Effect.forkChild(
          Effect.provideService(log.list(scope, { ...query, limit: 10 }), Search.Pace, {
            time: "1 minute",
            first: 1,
            next: 1
          })
        ))
      // Until some are at it, for whom the first message was not enough.
      yield* Effect.yieldNow
      yield* log.list(scope, { ...Fixture.anything, limit: 1 })
      const areUnderWay = () => searches.every((one) => one.pollUnsafe() === undefined)
      return { log, areUnderWay, end: Fiber.interruptAll(searches) }
    })

    it.effect("holds up nobody whose page is soon found, however many callers search", () =>
      Effect.gen(function*() {
        const { areUnderWay, end, log } = yield* long
        for (const soon of [{}, { recipient: "ada" }, { traceId: "campaign" }]) {
          assert.lengthOf((yield* log.list(scope, { ...Fixture.anything, ...soon, limit: 5 })).items, 5)
        }
        assert.isTrue(areUnderWay())
        yield* end
      }))

    it.effect("answers what it found so far, and where to go on, if it gets no turn in time", () =>
      Effect.gen(function*() {
        const { areUnderWay, end, log } = yield* long
        const page = yield* waiting(
          Effect.provideService(log.list(scope, query), Search.Pace, { time: "1 second", first: 200, next: 1_000 })
        )
        assert.isTrue(areUnderWay())
        assert.lengthOf(page.items, 0)
        assert.isDefined(page.cursor)
        yield* end
      }))

    it.effect("by a request's id reads no other messages, by whatever plan", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* prepare
        const log = yield* MessageLog
        const oldest = yield* sql`select id from messages where scope = ${scope} order by id limit 1`
        const id = MessageId.make(String(oldest[0]?.["id"]))
        for (const mode of ["force_generic_plan", "force_custom_plan"]) {
          const read = sql.unsafe(`set local plan_cache_mode = ${mode}`).pipe(
            Effect.andThen(log.list(scope, { ...Fixture.anything, traceId: id }))
          )
          const { result, rows } = yield* Reads.rows("messages", read)
          assert.deepStrictEqual(result.items.map((item) => item.id), [id])
          assert.isAtMost(rows, 20, mode)
        }
      }))

    it.effect("leaves sessions to the sends and the engine, however many callers search", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const log = yield* MessageLog
        const locked = yield* Deferred.make<void>()
        const search = Effect.andThen(Deferred.await(locked), log.list(scope, query))
        const readers = yield* Effect.forkChild(
          Effect.all(Array.makeBy(12, () => search), { concurrency: "unbounded" })
        )
        const waiting = sql`select 1 from pg_locks where not granted and relation = 'messages'::regclass`
        const running = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`lock table messages in access exclusive mode`
          yield* Deferred.succeed(locked, undefined)
          yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
          // Whoever else was let in is here by now: that takes a round trip, as each of these does.
          yield* Effect.repeat(waiting, { times: 100 })
          return (yield* waiting).length
        }))
        yield* Fiber.join(readers)
        assert.isAtMost(running, 3)
      }))

    it.effect("by when messages were enqueued finds those of a request that went on for days", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.setTime(now)
        const log = yield* MessageLog
        const idOf = (accepted: number, rest: string) =>
          `1-${Math.floor(accepted / 1_000).toString(16)}-${rest.repeat(24)}`
        for (
          const [days, rest, ended, due] of [[5, "a", now - 60_000, null], [6, "b", null, 0], [
            7,
            "c",
            now - 86_400_000,
            null
          ]] as const
        ) {
          const accepted = now - days * 86_400_000
          const request = idOf(accepted, rest)
          const member = `${request.slice(0, -1)}0`
          yield* sql`insert into expansions (scope, id, shard, key_state, recipients, instructions, place, state, due_at,
              accepted_at, advanced_at, ended_at)
            values (2, ${request}, 1, 'published', '[]', '{}', '{}', 'RUNNING', ${due}, ${accepted}, ${now}, ${ended})`
          yield* sql`insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
              recipient_name, enqueued_at, recipient, instructions)
            values (2, ${member}, ${request}, 1, 'bulk', '', 'published', 'SENT', ${rest}, '', '', ${
            (ended ?? now) - 1
          }, '{}', '{}')`
        }
        const { items } = yield* log.list(Scope.make(2), { ...Fixture.anything, enqueuedAfter: now - 3_600_000 })
        assert.deepStrictEqual(items.map(({ event }) => event), ["a", "b"])
      }))

    it.effect("by a list looks for its first page among the requests of the last days, however often the list was sent to", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.setTime(now)
        const log = yield* MessageLog
        const often = Scope.make(4)
        // One every 20 minutes for five weeks, with two members each.
        yield* sql.unsafe(
          `with requests as (insert into list_requests
              select 4, 'often', '1-' || to_hex(${now / 1_000} - n * 1200) || '-' || rpad(to_hex(n), 24, '0')
              from generate_series(1, 2500) n returning request_id as id)
          insert into messages (scope, id, request_id, shard, lane, recipient_key, key_state, status, event, template,
            recipient_name, enqueued_at, recipient, instructions, list_id)
          select 4, left(id, 14) || lpad(member::text, 21, '0'), id, 1, 'bulk', '', 'published', 'SENT', '', '', '', 0, '{}', '{}',
            'often' from requests, generate_series(1, 2) member`
        )
        const list = (limit: number, cursor?: string) =>
          log.list(often, { ...Fixture.anything, list: "often", limit, cursor })
        const first = yield* Reads.rows("list_requests", list(100))
        assert.strictEqual(first.result.items.length, 100)
        assert.isAtMost(first.rows, 200)

        const stored = yield* sql`select id from messages where scope = 4 order by id desc`
        const seen: Array<string> = []
        for (let cursor: string | undefined, isOver = false; !isOver;) {
          const page = yield* list(701, cursor)
          seen.push(...page.items.map(({ id }) => id))
          cursor = page.cursor
          isOver = cursor === undefined
        }
        assert.deepStrictEqual(seen, stored.map(({ id }) => id))
      }))
  }
)
