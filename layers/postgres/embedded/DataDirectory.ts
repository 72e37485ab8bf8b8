import { DataDirectoryUnusable } from "#layers/postgres/embedded/EmbeddedError.ts"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { join } from "node:path"

/** Makes the directory if need be, for this user only, and answers with its real path. */
export const make = (directory: string): Effect.Effect<string, DataDirectoryUnusable> =>
  Effect.try({
    try: () => {
      Fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
      return Fs.realpathSync(directory)
    },
    catch: (cause) => new DataDirectoryUnusable({ directory, cause })
  })

const syncPath = (path: string) => {
  const descriptor = Fs.openSync(path, "r")
  try {
    Fs.fsyncSync(descriptor)
  } finally {
    Fs.closeSync(descriptor)
  }
}

const syncTree = (path: string) => {
  for (const entry of Fs.readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) syncTree(child)
    else if (entry.isFile()) syncPath(child)
  }
  syncPath(path)
}

export interface Preparation {
  readonly durability: "disk" | "process"
  /** Makes a database in a directory that does not exist yet, and closes it. */
  readonly initialize: (database: string) => Promise<void>
}

/**
 * Readies a locked data directory for PostgreSQL and answers with the database's own folder in it. A first start builds the database
 * beside its place and moves it there whole, so a kill in between leaves nothing to trip over. `synced` is there while all of
 * the database has been on disk since it was last written without fsync.
 */
export const prepare = (
  directory: string,
  { durability, initialize }: Preparation
): Effect.Effect<string, DataDirectoryUnusable> =>
  Effect.tryPromise({
    try: async () => {
      const database = join(directory, "postgres")
      const synced = join(directory, "synced")
      if (!Fs.existsSync(database)) {
        const draft = `${database}.new`
        for (const stale of [draft, synced]) Fs.rmSync(stale, { recursive: true, force: true })
        await initialize(draft)
        if (durability === "disk") syncTree(draft)
        Fs.renameSync(draft, database)
      } else if (durability === "disk" && !Fs.existsSync(synced)) syncTree(database)
      if (durability === "process") Fs.rmSync(synced, { force: true })
      else if (!Fs.existsSync(synced)) {
        Fs.writeFileSync(synced, "")
        syncPath(directory)
      }
      // The owner is us. After a power cut it is empty, and PostgreSQL would refuse to start.
      Fs.rmSync(join(database, "postmaster.pid"), { force: true })
      return database
    },
    catch: (cause) => new DataDirectoryUnusable({ directory, cause })
  })
