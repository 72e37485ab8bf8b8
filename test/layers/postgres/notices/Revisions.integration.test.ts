import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import * as Revisions from "#layers/postgres/notices/Revisions.ts"
import { Scope } from "#schemas/Scope.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, layer } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Layer, Queue, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const scope = Scope.make(1)

/** One text for all, which counts for each. */
const megabytes = "x".repeat(3 * 1024 * 1024)

/** A thread of a node that remembers what `load` answered, and counts how often it was asked. */
const thread = Effect.fnUntraced(function*(kind: string) {
  const loads: Array<string> = []
  const revisions = yield* Revisions.make(kind)
  const ask = revisions.remembering((_, name) =>
    Effect.suspend((): Effect.Effect<number, "none" | StoreUnavailable> => {
      loads.push(name)
      if (name === "away" && loads.length === 1) return Effect.fail(new StoreUnavailable({ cause: "planted" }))
      return name === "none" ? Effect.fail("none" as const) : Effect.succeed(loads.length)
    })
  )
  return { ask: (name: string) => ask(scope, name), bump: revisions.bump(scope), loads }
})

/** A node with one thread. */
const node = (kind: string) => Effect.provide(thread(kind), Layer.fresh(Invalidations.layer))

const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  let statements = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "client") statements++
      return new Tracer.NativeSpan(options)
    }
  })
  return Effect.map(Effect.withTracer(effect, tracer), () => statements)
}

layer(FreshDatabase.layer)("Revisions on Postgres", (it) => {
  it.effect("what is known is asked for once, refusals too, and costs no statement within a second", () =>
    Effect.gen(function*() {
      const { ask, loads } = yield* node("a")
      yield* Effect.all([ask("x"), ask("x"), Effect.flip(ask("none")), Effect.flip(ask("none"))], {
        concurrency: "unbounded"
      })
      assert.sameMembers(loads, ["x", "none"])
      assert.strictEqual(yield* counting(Effect.all([ask("x"), Effect.flip(ask("none"))])), 0)
      yield* TestClock.adjust("1100 millis")
      const many = Effect.all(Array.from({ length: 50 }, () => ask("x")), { concurrency: "unbounded" })
      assert.strictEqual(yield* counting(many), 1)
      assert.lengthOf(loads, 2)
    }))

  it.effect("whoever asks all the time waits for no revision: it is asked for beside, once", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { ask, loads } = yield* node("h")
      const locked = yield* Deferred.make<void>()
      yield* ask("x")
      yield* TestClock.adjust("600 millis")
      const asking = Effect.all(Array.from({ length: 50 }, () => ask("x")), { concurrency: "unbounded" })
      const outside = yield* Effect.forkChild(Effect.andThen(Deferred.await(locked), asking))
      yield* sql.withTransaction(
        sql`lock table revisions`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Fiber.join(outside))
        )
      )
      assert.strictEqual(yield* counting(asking), 0)
      assert.lengthOf(loads, 1)
    }))

  it.effect("a catalogue of large things is not held whole: what was asked for before is asked for again", () =>
    Effect.gen(function*() {
      const { remembering } = yield* Effect.provide(Revisions.make("g"), Layer.fresh(Invalidations.layer))
      const loads: Array<string> = []
      const ask = remembering((_, name) => Effect.sync(() => ({ name, at: loads.push(name), html: megabytes })))
      for (let n = 0; n < 20; n++) yield* ask(scope, `template-${n % 5}`)
      assert.lengthOf(loads, 5)
      for (let n = 0; n < 20; n++) yield* ask(scope, `template-${n}`)
      yield* ask(scope, "template-19")
      assert.lengthOf(loads, 20)
      yield* ask(scope, "template-0")
      assert.lengthOf(loads, 21)
    }))

  it.effect("nor are long names of what is not there: they count as what is there does", () =>
    Effect.gen(function*() {
      const { remembering } = yield* Effect.provide(Revisions.make("l"), Layer.fresh(Invalidations.layer))
      const loads: Array<string> = []
      const ask = remembering((_, name): Effect.Effect<undefined, "none"> => {
        loads.push(name)
        return name.startsWith("none") ? Effect.fail("none") : Effect.undefined
      })
      for (const kind of ["nothing", "none"]) {
        const asked = loads.length
        for (let n = 0; n < 20; n++) yield* Effect.ignore(ask(scope, `${kind} ${n} ${megabytes}`))
        assert.lengthOf(loads, asked + 20)
        yield* Effect.ignore(ask(scope, `${kind} 19 ${megabytes}`))
        assert.lengthOf(loads, asked + 20)
        yield* Effect.ignore(ask(scope, `${kind} 0 ${megabytes}`))
        assert.lengthOf(loads, asked + 21)
      }
    }))

  it.effect("that the store was away is not remembered", () =>
    Effect.gen(function*() {
      const { ask } = yield* node("b")
      yield* Effect.flip(ask("away"))
      assert.strictEqual(yield* ask("away"), 2)
    }))

  it.effect("a change counts at once here, from its commit on, and within 2 s elsewhere", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [here, there] = [yield* node("c"), yield* node("c")]
      assert.deepStrictEqual([yield* here.ask("x"), yield* there.ask("x")], [1, 1])
      const changed = yield* Deferred.make<void>()
      // Asked between the change and its commit, from outside: still the old answer.
      const outside = yield* Effect.forkChild(Effect.andThen(Deferred.await(changed), here.ask("x")))
      yield* here.bump.pipe(
        Effect.andThen(Deferred.succeed(changed, undefined)),
        Effect.andThen(Fiber.await(outside)),
        sql.withTransaction
      )
      assert.strictEqual(yield* Fiber.join(outside), 1)
      assert.strictEqual(yield* here.ask("x"), 2)
      assert.strictEqual(yield* there.ask("x"), 1)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* there.ask("x"), 2)
    }))

  it.effect("a change that takes long counts at once too, from its commit on, in all threads of its node", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [here, there] = [yield* thread("j"), yield* thread("j")]
      const both = Effect.all([here.ask("x"), there.ask("x")])
      assert.deepStrictEqual(yield* both, [1, 1])
      const changed = yield* Deferred.make<void>()
      // As a provider's new name, under which the attempts of all open messages go by then (`LongWork`).
      const outside = yield* Effect.forkChild(
        Effect.andThen(
          Deferred.await(changed),
          Effect.forEach(Array.from({ length: 60 }), () => Effect.andThen(TestClock.adjust("1 second"), both))
        )
      )
      yield* here.bump.pipe(
        Effect.andThen(Deferred.succeed(changed, undefined)),
        Effect.andThen(Fiber.await(outside)),
        sql.withTransaction
      )
      assert.deepStrictEqual((yield* Fiber.join(outside)).at(-1), [1, 1])
      assert.deepStrictEqual(yield* both, [2, 2])
      assert.strictEqual(yield* counting(both), 0)
    }).pipe(Effect.provide(Invalidations.layer)))

  it.effect("what a database has lost, as in a failover, is remembered by nobody once there is another change", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [here, there] = [yield* node("k"), yield* node("k")]
      yield* here.bump
      const kept = yield* sql`select revision from revisions where kind = 'k'`
      yield* TestClock.adjust("1 second")
      yield* here.bump
      assert.strictEqual(yield* there.ask("x"), 1)
      yield* sql`update revisions set revision = ${kept[0]?.["revision"]} where kind = 'k'`
      yield* TestClock.adjust("2 seconds")
      yield* here.bump
      assert.strictEqual(yield* there.ask("x"), 2)
    }))

  it.effect("a change counts elsewhere as soon as its notice is heard, also where the revision was just being read", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const notices = yield* sql.listen("tidings_due")
      const here = yield* node("i")
      const invalidations = yield* Effect.provide(Invalidations.Invalidations, Layer.fresh(Invalidations.layer))
      const there = yield* Effect.provideService(thread("i"), Invalidations.Invalidations, invalidations)
      const hear = Effect.flatMap(Queue.take(notices), ({ payload }) => {
        const heard = Invalidations.ofNotice(payload)
        return heard === undefined ? Effect.die(payload) : invalidations.tell(heard)
      })
      assert.strictEqual(yield* there.ask("x"), 1)
      yield* here.bump
      assert.strictEqual(yield* there.ask("x"), 1)
      yield* hear
      assert.strictEqual(yield* there.ask("x"), 2)
      assert.strictEqual(yield* counting(there.ask("x")), 0)

      yield* TestClock.adjust("2 seconds")
      const locked = yield* Deferred.make<void>()
      const reading = yield* Effect.forkChild(Effect.andThen(Deferred.await(locked), there.ask("x")))
      const isWaiting = Effect.map(
        sql`select from pg_locks where not granted and relation = 'revisions'::regclass`,
        (waits) => waits.length > 0
      )
      yield* sql.withTransaction(
        sql`lock table revisions`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Effect.repeat(isWaiting, { until: (is) => is })),
          Effect.andThen(invalidations.tell({ kind: "i", scope }))
        )
      )
      yield* Fiber.join(reading)
      assert.strictEqual(yield* counting(there.ask("x")), 1)
      assert.strictEqual(yield* counting(there.ask("x")), 0)
    }).pipe(Effect.scoped))

  it.effect("a change counts at once in all threads of its node, and for all that count the same kind", () =>
    Effect.gen(function*() {
      const [here, there, other] = [yield* thread("e"), yield* thread("e"), yield* thread("f")]
      const all = Effect.all([here.ask("x"), there.ask("x"), other.ask("x")])
      assert.deepStrictEqual(yield* all, [1, 1, 1])
      yield* here.bump
      assert.deepStrictEqual(yield* all, [2, 2, 1])
    }).pipe(Effect.provide(Invalidations.layer)))

  it.effect("what a transaction saw is not remembered when it is rolled back", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { ask, bump, loads } = yield* node("d")
      yield* Effect.all([bump, ask("x"), Effect.fail("rolled back" as const)]).pipe(sql.withTransaction, Effect.flip)
      yield* bump.pipe(sql.withTransaction)
      assert.strictEqual(yield* ask("x"), 2)
      assert.lengthOf(loads, 2)
    }))
})
