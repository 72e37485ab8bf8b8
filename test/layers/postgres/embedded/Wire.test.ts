import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as Protocol from "#layers/postgres/embedded/Protocol.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Raw from "#test/layers/postgres/embedded/Raw.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Queue, Schema } from "effect"
import { Buffer } from "node:buffer"

const Store = Layer.unwrap(Effect.gen(function*() {
  const dataDir = yield* Directories.withDatabase
  return Embedded.layer({ dataDir, durability: "process", patience: 50 })
}))

const kinds = ["row", "commit", "refused", "failed", "interrupted", "pair"] as const

/** How a fiber uses the database, and whether its rows are to be there afterwards. */
const act = (kind: (typeof kinds)[number], run: string, n: number) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const insert = (part: number) => sql`INSERT INTO t VALUES (${run}, ${`${n}/${part}`})`
    const insertAnd = (then: Effect.Effect<unknown, unknown>) =>
      sql.withTransaction(Effect.andThen(Effect.andThen(insert(0), insert(1)), then))
    const both = [`${n}/0`, `${n}/1`]
    switch (kind) {
      case "row":
        yield* insert(0)
        return [`${n}/0`]
      case "commit":
        yield* insertAnd(sql`SELECT 1`)
        return both
      case "pair":
        yield* insertAnd(Effect.ignore(sql.withTransaction(Effect.andThen(insert(2), Effect.fail("the savepoint")))))
        return both
      case "refused":
        return yield* Effect.as(Effect.exit(insertAnd(sql`SELECT 1 / 0`)), [])
      case "failed":
        return yield* Effect.as(Effect.exit(insertAnd(Effect.fail("not the database's"))), [])
      case "interrupted":
        return yield* Effect.as(
          Effect.exit(Effect.flatMap(Effect.forkChild(insertAnd(Effect.interrupt)), Fiber.join)),
          []
        )
    }
  })

/** A connection, and the key by which its statements may be cancelled. */
const greeted = Effect.gen(function*() {
  const raw = yield* Raw.connect
  let greeting = Buffer.alloc(0)
  raw.duplex.once("data", (bytes: Buffer) => greeting = Buffer.from(bytes))
  yield* raw.ask(Raw.hello)
  const key = [...Protocol.messages(greeting)].find((one) => one[0] === "K".charCodeAt(0)) ?? Buffer.alloc(13)
  return { raw, key: key.subarray(5) }
})

const count = (table: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => Effect.map(sql`SELECT count(*)::int AS n FROM ${sql(table)}`, (rows) => rows[0]?.["n"])
  )

layer(Store, { timeout: "60 seconds", excludeTestServices: true })("Wire: many connections on one backend", (it) => {
  it.effect.prop(
    "P1: of interleaved transactions every acknowledged row is there, and no other",
    { steps: Schema.Array(Schema.Literals(kinds)).check(Schema.isMinLength(8), Schema.isMaxLength(40)) },
    Effect.fnUntraced(function*({ steps }) {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE IF NOT EXISTS t (run text, part text)`
      const run = crypto.randomUUID()
      const expected = yield* Effect.forEach(steps, (kind, n) => act(kind, run, n), { concurrency: 8 })
      const rows = yield* sql`SELECT part FROM t WHERE run = ${run}`
      assert.sameMembers(rows.map((row) => row["part"]), expected.flat())
    }),
    { arbitrary: { runs: 30 }, timeout: 60_000 }
  )

  it.effect("a connection that goes inside a transaction is rolled back, and the next one starts afresh", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE gone (i int)`
      for (const leave of ["destroy", "end"] as const) {
        const raw = yield* Raw.connect
        yield* raw.ask(Raw.hello)
        assert.strictEqual(yield* raw.ask(Raw.query("BEGIN"), Raw.query("INSERT INTO gone VALUES (1)")), "C ZT")
        const waiter = yield* Effect.forkChild(count("gone"))
        raw.duplex[leave]()
        assert.strictEqual(yield* Fiber.join(waiter), 0)
      }
    }))

  it.effect("statements sent before a Flush are undone when the connection goes before its Sync", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE flushed (i int)`
      const raw = yield* Raw.connect
      yield* raw.ask(Raw.hello)
      raw.duplex.write(Buffer.concat([Raw.extended("INSERT INTO flushed VALUES (1)"), Raw.flush]))
      const waiter = yield* Effect.forkChild(count("flushed"))
      raw.duplex.destroy()
      assert.strictEqual(yield* Fiber.join(waiter), 0)
    }))

  it.effect("a Flush is answered, and keeps the backend until the Sync", () =>
    Effect.gen(function*() {
      const raw = yield* Raw.connect
      yield* raw.ask(Raw.hello)
      const flushed = new Promise<Buffer>((resolve) => raw.duplex.once("data", resolve))
      raw.duplex.write(Buffer.concat([Raw.extended("SELECT 1"), Raw.flush]))
      assert.isAbove((yield* Effect.promise(() => flushed)).length, 0)
      assert.match(yield* raw.ask(Raw.sync), /ZI$/)
      raw.duplex.end()
    }))

  it.effect("a connection leaves no prepared statement behind", () =>
    Effect.gen(function*() {
      const raw = yield* Raw.connect
      yield* raw.ask(Raw.hello)
      yield* raw.ask(Raw.extended("SELECT 1", "mine"), Raw.sync)
      raw.duplex.end()
      const sql = yield* PgClient.PgClient
      assert.deepStrictEqual(yield* sql`SELECT name FROM pg_prepared_statements WHERE name = 'mine'`, [])
    }))

  it.effect("bytes cut anywhere are the same bytes", () =>
    Effect.gen(function*() {
      // Whoever asks first after the start is told of settings as well.
      yield* (yield* PgClient.PgClient)`SELECT 1`
      for (const size of [1, 3, 7, 64]) {
        const cut = (bytes: Buffer) =>
          Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
        const raw = yield* Raw.connect
        assert.match(yield* raw.ask(...cut(Raw.hello)), /^R .* K ZI$/)
        assert.strictEqual(yield* raw.ask(...cut(Raw.query("SELECT 1"))), "T D C ZI")
        assert.strictEqual(yield* raw.ask(...cut(Buffer.concat([Raw.extended("SELECT 2"), Raw.sync]))), "1 2 D C ZI")
        raw.duplex.end()
      }
    }))

  it.effect("a notification reaches every listener, and one that stops listening silences no other", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const heard = yield* sql.listen("news")
      yield* Effect.scoped(Effect.gen(function*() {
        const also = yield* sql.listen("news")
        yield* sql.notify("news", "one")
        assert.strictEqual((yield* Queue.take(also)).payload, "one")
      }))
      yield* sql.withTransaction(sql`SELECT pg_notify('news', 'two')`)
      assert.deepStrictEqual((yield* Queue.takeN(heard, 2)).map((one) => one.payload), ["one", "two"])
    }))

  it.effect("COPY FROM STDIN is refused like any error", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE copied (i int)`
      const raw = yield* Raw.connect
      yield* raw.ask(Raw.hello)
      assert.strictEqual(yield* raw.ask(Raw.query("COPY copied FROM STDIN")), "G E ZI")
      assert.strictEqual(yield* raw.ask(Raw.extended("COPY copied FROM STDIN"), Raw.sync), "1 2 G E ZI")
      raw.duplex.end()
    }))

  it.effect("an idle transaction that others wait for is ended", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const latch = yield* Latch.make()
      const idle = yield* Effect.forkChild(
        Effect.exit(sql.withTransaction(Effect.andThen(sql`SELECT 1`, Effect.andThen(latch.open, Effect.never))))
      )
      yield* latch.await
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
      yield* Fiber.interrupt(idle)
    }))

  it.effect("an idle transaction that nobody waits for goes on", () =>
    Effect.gen(function*() {
      const raw = yield* Raw.connect
      yield* raw.ask(Raw.hello)
      assert.strictEqual(yield* raw.ask(Raw.query("BEGIN")), "C ZT")
      yield* Effect.sleep("150 millis")
      assert.strictEqual(yield* raw.ask(Raw.query("COMMIT")), "C ZI")
      raw.duplex.end()
    }))

  it.effect("what a connection asked for is not run once it is gone", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE unasked (i int)`
      const raw = yield* Raw.connect
      yield* raw.ask(Raw.hello)
      raw.duplex.write(Raw.query("INSERT INTO unasked VALUES (1)"))
      raw.duplex.destroy()
      assert.strictEqual(yield* count("unasked"), 0)
    }))

  it.effect("a statement cancelled before its turn is not run, and its connection works on", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE given_up (i int)`
      const { key, raw } = yield* greeted
      const asked = yield* Effect.forkChild(raw.ask(Raw.query("INSERT INTO given_up VALUES (1)")), {
        startImmediately: true
      })
      const other = yield* Raw.connect
      other.duplex.write(Raw.cancel(key))
      assert.strictEqual(yield* Fiber.join(asked), "E ZI")
      yield* other.closed
      assert.strictEqual(yield* raw.ask(Raw.query("SELECT 1")), "T D C ZI")
      assert.strictEqual(yield* count("given_up"), 0)
      raw.duplex.end()
    }))

  it.effect("a statement of a transaction is not cancelled: who asked would take the transaction for ended", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE kept (i int)`
      const { key, raw } = yield* greeted
      yield* raw.ask(Raw.query("BEGIN"))
      raw.duplex.write(Raw.query("INSERT INTO kept VALUES (1)"))
      const other = yield* Raw.connect
      other.duplex.write(Raw.cancel(key))
      assert.strictEqual(yield* raw.ask(), "C ZT")
      assert.strictEqual(yield* raw.ask(Raw.query("COMMIT")), "C ZI")
      assert.strictEqual(yield* count("kept"), 1)
      raw.duplex.end()
    }))

  it.effect("statements that one connection sends together are answered one after the other", () =>
    Effect.gen(function*() {
      const { raw } = yield* greeted
      for (let sent = 0; sent < 3; sent++) raw.duplex.write(Raw.query("SELECT 1"))
      for (let answered = 0; answered < 3; answered++) assert.strictEqual(yield* raw.ask(), "T D C ZI")
      raw.duplex.end()
    }))

  it.effect("who has not said hello yet is told of no notification before the greeting", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql.listen("early")
      const raw = yield* Raw.connect
      yield* sql.notify("early", "one")
      assert.match(yield* raw.ask(Raw.hello), /^R /)
      raw.duplex.end()
    }))

  it.effect("a refused message that no Sync follows holds up only its own connection, until it ends", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const raw = yield* Raw.connect
      yield* raw.ask(Raw.hello)
      // PostgreSQL skips all that follows the bad Describe up to a Sync, a query too.
      raw.duplex.write(Buffer.concat([Protocol.message("D"), Raw.query("SELECT 1")]))
      const other = yield* Effect.forkChild(sql`SELECT 1 AS one`)
      assert.strictEqual(yield* raw.ask(Raw.sync), "E ZI")
      assert.deepStrictEqual(yield* Fiber.join(other), [{ one: 1 }])
      raw.duplex.write(Buffer.concat([Protocol.message("D"), Raw.query("SELECT 1")]))
      raw.duplex.end()
      assert.deepStrictEqual(yield* sql`SELECT 2 AS two`, [{ two: 2 }])
    }))

  const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  const Message = Schema.Struct({
    tag: Schema.Literals([..."QPBDECHSdcfFXzp\u0000"]),
    body: Schema.Array(Byte).check(Schema.isMaxLength(40)),
    lie: Schema.Literals([0, 0, 0, 0, -1, 1, 100, 1_000_000, 0xffffff])
  })
  it.effect.prop(
    "whatever a connection sends, the others work",
    { messages: Schema.Array(Message), greets: Schema.Boolean, tail: Schema.Array(Byte) },
    Effect.fnUntraced(function*({ messages, greets, tail }) {
      const sql = yield* PgClient.PgClient
      const raw = yield* Raw.connect
      if (greets) raw.duplex.write(Raw.hello)
      for (const { tag, body, lie } of messages) {
        const bytes = Protocol.message(tag, body)
        bytes.writeInt32BE(body.length + 4 + lie, 1)
        raw.duplex.write(bytes)
      }
      raw.duplex.write(Buffer.from(tail))
      raw.duplex.end()
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
    }),
    { arbitrary: { runs: 300 }, timeout: 60_000 }
  )
})
