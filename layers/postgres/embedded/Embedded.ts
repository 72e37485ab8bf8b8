import * as GroupCommit from "#layers/postgres/journal/GroupCommit.ts"
import { maxMessageSize } from "#layers/postgres/connection/LongestMessage.ts"
import * as Lookups from "#layers/postgres/statements/Lookups.ts"
import * as ManyDays from "#layers/postgres/days/ManyDays.ts"
import * as Backend from "#layers/postgres/embedded/Backend.ts"
import * as DataDirectory from "#layers/postgres/embedded/DataDirectory.ts"
import * as DirectoryLock from "#layers/postgres/embedded/DirectoryLock.ts"
import { DurableFs } from "#layers/postgres/embedded/DurableFs.ts"
import {
  type DatabaseBroken,
  DatabaseNotStarted,
  DurabilityRefused,
  type EmbeddedError
} from "#layers/postgres/embedded/EmbeddedError.ts"
import * as FirstDatabase from "#layers/postgres/embedded/FirstDatabase.ts"
import * as Moved from "#layers/postgres/embedded/Moved.ts"
import * as Protocol from "#layers/postgres/embedded/Protocol.ts"
import * as Wire from "#layers/postgres/embedded/Wire.ts"
import { PgClient } from "@effect/sql-pg"
import { PGlite } from "@electric-sql/pglite"
import { Cause, Context, Deferred, Effect, Layer, Queue, Result } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient, type SqlError } from "effect/sql"

export interface Options {
  /** Everything the embedded store keeps is in here; it is made when missing. */
  readonly dataDir: string
  /** `disk`: a commit survives the loss of power. `process`: it survives kill -9 only, and is faster. */
  readonly durability: "disk" | "process"
  /** Most connections at a time, listeners included. Default 4. */
  readonly connections?: number
  /** A transaction that keeps others waiting and is idle for so many milliseconds is rolled back. Default 30,000. */
  readonly patience?: number
  /** Opens a database that was moved, too: its move may have to be ended. */
  readonly moved?: boolean
  /** PGlite's view of the directory; a test puts a faulty one in its place. */
  readonly fileSystem?: typeof DurableFs
}

/** The state of the embedded database, for health and for the end of the process. */
export class EmbeddedStore extends Context.Service<EmbeddedStore, {
  /** fsyncs since the start. */
  readonly fsyncs: Effect.Effect<number>
  /**
   * Waits until the database breaks. Every statement fails from then on, and the process should end: a new one
   * recovers.
   */
  readonly broken: Effect.Effect<DatabaseBroken>
}>()("tidings/EmbeddedStore") {}

/**
 * Without a checkpointer process nothing bounds the write-ahead log, so every so many segments of 16 MiB we checkpoint:
 * that is the most a start after kill -9 has to replay.
 */
const segmentsPerCheckpoint = 2

/** Half of the default buffers: the operating system caches the files as well. */
const settings = ["-c", "jit=off", "-c", "shared_buffers=64MB"]

const startParameters = (durability: Options["durability"]) =>
  durability === "process"
    ? [...PGlite.defaultStartParams, ...settings]
    : [...PGlite.defaultStartParams.filter((one) => one !== "-F"), "-c", "wal_sync_method=fsync", ...settings]

const start = async (fs: DurableFs, durability: Options["durability"], heard: (line: string) => void) => {
  const db = new PGlite({
    fs,
    startParams: startParameters(durability),
    onStderr: (line) => {
      if (/\b(FATAL|PANIC):/.test(line)) heard(line)
      return false
    }
  })
  await db.waitReady
  return db
}

const open = Effect.fnUntraced(function*(options: Options, onSegment: () => void) {
  const { durability } = options
  const directory = yield* DataDirectory.make(options.dataDir)
  yield* DirectoryLock.acquire(directory)
  if (options.moved !== true) yield* Moved.refuse(directory)
  const database = yield* Effect.uninterruptible(
    DataDirectory.prepare(directory, { durability, initialize: FirstDatabase.write })
  )
  const fs = new (options.fileSystem ?? DurableFs)(database, onSegment)
  const broken = Deferred.makeUnsafe<DatabaseBroken>()
  let lastWords = ""
  const notStarted = (cause: unknown) =>
    new DatabaseNotStarted({ directory, detail: lastWords || (cause instanceof Error ? cause.message : String(cause)) })

  const { backend, wire } = yield* Effect.acquireRelease(
    Effect.gen(function*() {
      const db = yield* Effect.tryPromise(() => start(fs, durability, (line) => lastWords = line))
      const backend = yield* Effect.fromResult(Backend.make(db, () => lastWords))
      const onBroken = (error: DatabaseBroken) => Deferred.doneUnsafe(broken, Effect.succeed(error))
      return { db, backend, wire: Wire.make(backend, { patience: options.patience, onBroken }) }
    }).pipe(Effect.mapError((error) => notStarted(Cause.isUnknownError(error) ? error.cause : error))),
    ({ backend, db, wire }) =>
      Effect.suspend(() => {
        wire.shutdown()
        // A broken database must not write the checkpoint of a clean end.
        return backend.broken() === undefined ? Effect.promise(() => db.close()) : Effect.void
      })
  )
  if (durability === "disk") {
    const before = fs.fsyncs
    const probe = backend.run(Protocol.message("Q", "SELECT pg_logical_emit_message(true, 'tidings', 'on disk?')"))
    if (Result.isFailure(probe)) return yield* notStarted(probe.failure)
    if (fs.fsyncs === before) return yield* new DurabilityRefused({ directory })
  }
  return { wire, store: EmbeddedStore.of({ fsyncs: Effect.sync(() => fs.fsyncs), broken: Deferred.await(broken) }) }
})

const make = Effect.fnUntraced(function*(options: Options) {
  const due = yield* Queue.sliding<void>(1)
  let segments = 0
  const { wire, store } = yield* open(options, () => {
    if (++segments % segmentsPerCheckpoint === 0) Queue.offerUnsafe(due, undefined)
  })
  const notStarted = (error: SqlError.SqlError) =>
    new DatabaseNotStarted({ directory: options.dataDir, detail: error.message })
  const client = yield* PgClient.make({
    stream: wire.connect,
    username: "postgres",
    database: "postgres",
    maxConnections: options.connections ?? 4,
    maxMessageSize
  }).pipe(Effect.mapError(notStarted))
  if ((yield* Effect.mapError(client.unsafe(ManyDays.some), notStarted)).length > 0) {
    yield* Effect.mapError(client.unsafe(ManyDays.planning), notStarted)
  }
  yield* Queue.take(due).pipe(
    Effect.andThen(client`CHECKPOINT`),
    Effect.catchCause((cause) => Effect.logError("the embedded database made no checkpoint", cause)),
    Effect.forever,
    Effect.forkScoped
  )
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(EmbeddedStore, store),
    Context.add(Lookups.AtOnce, 1),
    Context.add(GroupCommit.IsBeside, false)
  )
})

/**
 * PostgreSQL in this process, on a directory that nobody else may open meanwhile, behind the same client as a server.
 * All connections are one session (see `Wire`). Closing ends the connections, then the database, then the lock.
 */
export const layer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | EmbeddedStore, EmbeddedError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
