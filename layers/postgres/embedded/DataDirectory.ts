import { faultCode } from "#layers/outbound/FaultCode.ts"
import { DatabaseIncomplete, DataDirectoryUnusable } from "#layers/postgres/embedded/EmbeddedError.ts"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { open } from "node:fs/promises"
import { dirname, join } from "node:path"

const attempt = <A>(run: () => A): Effect.Effect<A, unknown> => Effect.try({ try: run, catch: (cause) => cause })

const failedBy = (code: string) => (cause: unknown): boolean => faultCode(cause) === code

const makeOne = (directory: string): Effect.Effect<void, unknown> =>
  attempt(() => Fs.mkdirSync(directory, { mode: 0o700 })).pipe(Effect.catchIf(failedBy("EEXIST"), () => Effect.void))

/** Used instead of Node's `recursive`, which loops for ever if the parent exists but takes no child, as in /proc. */
const makeWithParents = (directory: string): Effect.Effect<void, unknown> =>
  makeOne(directory).pipe(
    Effect.catchIf(
      (cause) => failedBy("ENOENT")(cause) && dirname(directory) !== directory,
      () => Effect.andThen(makeWithParents(dirname(directory)), makeOne(directory))
    )
  )

/** Makes the directory if need be, for this user only, and answers with its real path. */
export const make = (directory: string): Effect.Effect<string, DataDirectoryUnusable> =>
  makeWithParents(directory).pipe(
    // What is there may be a file, or another user's: SQLite would say only that it cannot open the lock.
    Effect.andThen(attempt(() => Fs.readdirSync(directory))),
    Effect.andThen(attempt(() => Fs.accessSync(directory, Fs.constants.W_OK))),
    Effect.andThen(attempt(() => Fs.realpathSync(directory))),
    Effect.mapError((cause) => new DataDirectoryUnusable({ directory, cause }))
  )

/** The database's own folder in a data directory. */
export const databaseIn = (directory: string): string => join(directory, "postgres")

/** PostgreSQL takes a folder without this file for none of its own. */
const mark = "PG_VERSION"

/** Fails if there is a database that is not whole; one that is not there yet will be made. */
const whole = (database: string): Effect.Effect<void, unknown> =>
  attempt(() => Fs.statSync(join(database, mark))).pipe(
    Effect.asVoid,
    Effect.catchIf(
      failedBy("ENOENT"),
      () => Fs.existsSync(database) ? Effect.fail(new DatabaseIncomplete({ database, missing: mark })) : Effect.void
    )
  )

/** Puts a file, or the names in a directory, on disk. */
export const syncPath = async (path: string) => {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs several files at a time, which then share a commit of the file system's journal. */
const syncTree = async (root: string) => {
  const paths = [root, ...Fs.readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => join(root, path))]
  const lane = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) await syncPath(path)
  }
  await Promise.all(Array.from({ length: 16 }, lane))
}

export interface Preparation {
  readonly durability: "disk" | "process"
  /** Makes a database in a directory that does not exist yet, and closes it. */
  readonly initialize: (database: string) => Promise<void>
}

/**
 * Readies a locked data directory for PostgreSQL and answers with the database's own folder in it. A first start builds
 * the database beside its place and moves it there whole, so a kill in between leaves nothing to trip over. The file
 * `synced` is there while all of the database has been on disk since it was last written without fsync.
 */
export const prepare = (
  directory: string,
  { durability, initialize }: Preparation
): Effect.Effect<string, DatabaseIncomplete | DataDirectoryUnusable> => {
  const database = databaseIn(directory)
  const prepared = async () => {
    const synced = join(directory, "synced")
    if (!Fs.existsSync(database)) {
      const draft = `${database}.new`
      for (const stale of [draft, synced]) Fs.rmSync(stale, { recursive: true, force: true })
      await initialize(draft)
      if (durability === "disk") await syncTree(draft)
      Fs.renameSync(draft, database)
    } else if (durability === "disk" && !Fs.existsSync(synced)) await syncTree(database)
    if (Fs.existsSync(synced) !== (durability === "disk")) {
      if (durability === "disk") Fs.writeFileSync(synced, "")
      else Fs.rmSync(synced)
      await syncPath(directory)
    }
    // The owner is us. After a power cut it is empty, and PostgreSQL would refuse to start.
    Fs.rmSync(join(database, "postmaster.pid"), { force: true })
    return database
  }
  return Effect.andThen(whole(database), Effect.tryPromise({ try: prepared, catch: (cause) => cause })).pipe(
    Effect.mapError((cause) =>
      cause instanceof DatabaseIncomplete ? cause : new DataDirectoryUnusable({ directory, cause })
    )
  )
}
