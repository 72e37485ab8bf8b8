import { DurableFs } from "#layers/postgres/embedded/DurableFs.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Processes from "#test/layers/postgres/embedded/Processes.ts"
import * as Raw from "#test/layers/postgres/embedded/Raw.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type * as Fs from "node:fs"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { connect } from "node:net"
import { join } from "node:path"

const opened = (dataDir: string, options: Partial<Embedded.Options> = {}) =>
  Embedded.layer({ dataDir, durability: "disk", ...options })

const fsyncs = Effect.flatMap(Embedded.EmbeddedStore, (store) => store.fsyncs)

/** As PGlite is shipped. */
class Deaf extends DurableFs {
  override async init(...args: Parameters<DurableFs["init"]>): ReturnType<DurableFs["init"]> {
    const { emscriptenOpts } = await super.init(...args)
    const unhook = (module: { NODEFS: { stream_ops: { fsync?: unknown } } }) =>
      void delete module.NODEFS.stream_ops.fsync
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...emscriptenOpts.preRun ?? [], unhook] } }
  }
}

/** The file system as PGlite sees it. */
const fs: typeof Fs = createRequire(import.meta.url)("node:fs")

/** The process has no descriptor left when the next file of a table is made. */
const exhaustOnce = Effect.acquireRelease(
  Effect.sync(() => {
    const write = fs.writeFileSync
    fs.writeFileSync = (...args) => {
      if (!String(args[0]).includes("/base/")) return write(...args)
      fs.writeFileSync = write
      throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" })
    }
    return write
  }),
  (write) =>
    Effect.sync(() => {
      fs.writeFileSync = write
    })
)

/** A disk whose fsync fails when told. */
class Failing extends DurableFs {
  static fails = false
  protected override sync(file: Parameters<DurableFs["sync"]>[0]): number {
    return Failing.fails ? 29 : super.sync(file)
  }
}

describe("Embedded", () => {
  it.live("P1: on disk, no commit without an fsync", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE t (i int)`
      for (const concurrency of [1, 4]) {
        const before = yield* fsyncs
        yield* Effect.forEach(Array.from({ length: 40 }), (_, i) => sql`INSERT INTO t VALUES (${i})`, { concurrency })
        assert.isAtLeast((yield* fsyncs) - before, 40)
      }
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(Directories.withDatabase, opened)))))

  it.live("P1: a disk that is not synced is refused, and then open to another", () =>
    Effect.gen(function*() {
      const dataDir = yield* Directories.withDatabase
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(opened(dataDir, { fileSystem: Deaf }))))
      assert.strictEqual(refused._tag, "DurabilityRefused")
      assert.isAbove(yield* Effect.provide(fsyncs, opened(dataDir)), 0)
    }))

  it.live("a file for which no descriptor was left is made once there is one", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* exhaustOnce
      yield* sql`CREATE TABLE t (i int)`
      yield* sql`INSERT INTO t VALUES (1)`
    }).pipe(Effect.scoped, Effect.provide(Layer.unwrap(Effect.map(Directories.withDatabase, opened)))))

  it.live("P1: a commit whose fsync failed is not acknowledged, nor is anything after it", () =>
    Effect.gen(function*() {
      const dataDir = yield* Directories.withDatabase
      yield* Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        yield* sql`CREATE TABLE t (i int)`
        yield* sql`INSERT INTO t VALUES (1)`
        Failing.fails = true
        yield* Effect.flip(sql`INSERT INTO t VALUES (2)`)
        Failing.fails = false
        yield* Effect.flip(sql`SELECT 1`)
        const { detail } = yield* Effect.flatMap(Embedded.EmbeddedStore, (store) => store.broken)
        assert.match(detail, /PANIC: .*could not fsync/)
      }).pipe(Effect.provide(opened(dataDir, { fileSystem: Failing })))
      const rows = yield* Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT i FROM t WHERE i = 1`).pipe(
        Effect.provide(opened(dataDir))
      )
      assert.deepStrictEqual(rows, [{ i: 1 }])
    }))

  it.live("closing ends open transactions without a trace, and the next start finds the rest", () =>
    Effect.gen(function*() {
      const dataDir = yield* Directories.withDatabase
      yield* Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        yield* sql`CREATE TABLE t (i int)`
        yield* sql`INSERT INTO t VALUES (1)`
        const raw = yield* Raw.connect
        yield* raw.ask(Raw.hello)
        assert.strictEqual(yield* raw.ask(Raw.query("BEGIN; INSERT INTO t VALUES (2)")), "C C ZT")
      }).pipe(Effect.provide(opened(dataDir, { patience: 60_000 })))
      const rows = yield* Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT i FROM t`).pipe(
        Effect.provide(opened(dataDir))
      )
      assert.deepStrictEqual(rows, [{ i: 1 }])
    }))

  it.live("an empty postmaster.pid, as a power cut leaves it, is no obstacle", () =>
    Effect.gen(function*() {
      const dataDir = yield* Directories.withDatabase
      writeFileSync(join(dataDir, "postgres", "postmaster.pid"), "")
      yield* Effect.provide(Effect.void, opened(dataDir))
    }))

  it.live("P1: a database that is not whole is refused and left as it is: a new one would take its place", () =>
    Effect.gen(function*() {
      const dataDir = yield* Directories.withDatabase
      const sql = Effect.provide(
        Effect.flatMap(PgClient.PgClient, (sql) => sql`CREATE TABLE t (i int)`),
        opened(dataDir)
      )
      yield* sql
      const mark = join(dataDir, "postgres/PG_VERSION")
      const version = readFileSync(mark)
      rmSync(mark)
      const refused = yield* Effect.flip(sql)
      assert.strictEqual(refused._tag, "DatabaseIncomplete")
      assert.include(refused.message, "postgres is no whole database: it has no PG_VERSION; put back a backup")
      writeFileSync(mark, version)
      const again = yield* Effect.flip(sql)
      assert.strictEqual(again._tag, "SqlError")
    }))

  it.live("the write-ahead log is bounded by checkpoints", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const redo = Effect.map(
        sql`SELECT (pg_current_wal_lsn() - redo_lsn)::bigint::int AS bytes FROM pg_control_checkpoint()`,
        (rows) => Number(rows[0]?.["bytes"])
      )
      yield* sql`CREATE TABLE t (i int, text text)`
      for (let i = 0; i < 16; i++) {
        yield* sql`INSERT INTO t SELECT g, repeat('x', 1000) FROM generate_series(1, 5000) AS g`
        assert.isBelow(yield* redo, 64 * 1024 * 1024)
      }
    }).pipe(
      Effect.provide(
        Layer.unwrap(Effect.map(Directories.withDatabase, (dataDir) => opened(dataDir, { durability: "process" })))
      )
    ), 60_000)

  it.live.each(["node", "deno"] as const)(
    "%s: four connections, a transaction, a notification, a clean end",
    (runtime) =>
      Effect.gen(function*() {
        const child = yield* Processes.run(runtime, "smoke", yield* Directories.withDatabase)
        assert.strictEqual(yield* child.line, `{"payload":"hello","rows":[1,2,3],"synced":true}`)
      }),
    60_000
  )

  /** What the process says to one who connects and writes: how many statements it has run. */
  const ask = (port: number) =>
    Effect.callback<number>((resume) => {
      const socket = connect(port, "127.0.0.1", () => socket.write("?"))
      socket.once("data", (bytes) => resume(Effect.succeed(Number(bytes))))
    })

  it.live.each(["node", "deno"] as const)(
    "%s: who comes while statements run is answered between a few of them, alone and with forty at once",
    (runtime) =>
      Effect.gen(function*() {
        const child = yield* Processes.run(runtime, "busy", yield* Directories.withDatabase)
        const port = Number(yield* child.line)
        const together = yield* Effect.forEach(Array.from({ length: 40 }), () => ask(port), {
          concurrency: "unbounded"
        })
        assert.isAtMost(Math.max(...together) - Math.min(...together), 8)
        const inTurn = [...yield* Effect.forEach(Array.from({ length: 5 }), () => ask(port))]
        assert.isAtMost(Math.max(...inTurn) - Math.min(...inTurn), 16)
      }),
    60_000
  )

  it.live("P1: after kill -9 every acknowledged row is there", () =>
    Effect.gen(function*() {
      const dataDir = yield* Directories.withDatabase
      for (const durability of ["disk", "process", "disk"] as const) {
        const child = yield* Processes.run("node", "write", dataDir, durability)
        assert.strictEqual(yield* child.line, "ready")
        assert.strictEqual(yield* child.line, "enough")
        yield* child.kill
        const stored = yield* Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT id FROM acked`).pipe(
          Effect.provide(opened(dataDir, { durability }))
        )
        const ids = new Set(stored.map((row) => row["id"]))
        const acknowledged = readFileSync(join(dataDir, "acks"), "utf8").trimEnd().split("\n")
        assert.deepStrictEqual(acknowledged.filter((id) => !ids.has(id)), [])
      }
    }), 60_000)
})
