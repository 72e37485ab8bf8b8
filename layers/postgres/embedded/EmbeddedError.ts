import { toWrite } from "#layers/CannotStart.ts"
import * as ExitCode from "#layers/ExitCode.ts"
import { Runtime, Schema } from "effect"

/** The process that owns a data directory, as it describes itself: `host` is the name of its machine or container. */
export const Owner = Schema.Struct({ pid: Schema.Int, command: Schema.String, host: Schema.String })
export type Owner = typeof Owner.Type

/** Another process owns the data directory. Nothing in it was touched. */
export class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  directory: Schema.String,
  /** `undefined` when it left no description. */
  owner: Schema.UndefinedOr(Owner)
}) {
  /** By whom. */
  get fact(): string {
    const owner = this.owner === undefined
      ? "another process"
      : `process ${this.owner.pid} (${this.owner.command}) on ${this.owner.host}`
    return `data directory ${this.directory} is in use by ${owner}`
  }
  override get message(): string {
    return `${this.fact}; stop it or set TIDINGS_DATA_DIR`
  }
}

/** The data directory cannot be made, read or written. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()("DataDirectoryUnusable", {
  directory: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `data directory ${this.directory} cannot be used: ${String(this.cause)}; ${toWrite(this.cause)}`
  }
}

/**
 * What lies where the embedded database should be is not one, or no whole one, as after half a restore: PGlite would make
 * a new one over it. Nothing in it was touched. The disk that it is on may also be mounted later.
 */
export class DatabaseIncomplete extends Schema.TaggedError<DatabaseIncomplete>()("DatabaseIncomplete", {
  /** The database's own folder. */
  database: Schema.String,
  missing: Schema.String
}) {
  override get message(): string {
    return `${this.database} is no whole database: it has no ${this.missing}; put back a backup of the data directory, ` +
      "or remove that folder to begin anew"
  }
}

/** The embedded database did not start: `detail` is what it said. */
export class DatabaseNotStarted extends Schema.TaggedError<DatabaseNotStarted>()("DatabaseNotStarted", {
  directory: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `the embedded database in ${this.directory} did not start: ${this.detail}`
  }
}

/** `disk` was asked for, but a commit reached no disk. */
export class DurabilityRefused extends Schema.TaggedError<DurabilityRefused>()("DurabilityRefused", {
  directory: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
  override get message(): string {
    return `a commit in ${this.directory} was not followed by an fsync, so an accepted message could be lost when ` +
      `the power goes; set TIDINGS_DURABILITY=process to accept that`
  }
}

/** `tidings move` has moved what is in the data directory: another server delivers it. Nothing in it was touched. */
export class DataDirectoryMoved extends Schema.TaggedError<DataDirectoryMoved>()("DataDirectoryMoved", {
  directory: Schema.String,
  to: Schema.String,
  at: Schema.String,
  /** What says so. */
  file: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
  override get message(): string {
    return `what is in data directory ${this.directory} was moved to ${this.to} at ${this.at}: set DATABASE_URL to ` +
      `that; to go back, remove ${this.file}, and let no server start on that database any more: both would send what waits`
  }
}

/** Why the embedded database was not opened. */
export type EmbeddedError =
  | DataDirectoryInUse
  | DataDirectoryMoved
  | DataDirectoryUnusable
  | DatabaseIncomplete
  | DatabaseNotStarted
  | DurabilityRefused

/**
 * The running database stopped for good (a failed fsync, a full disk, a crash): only a new process can open the
 * directory.
 */
export class DatabaseBroken extends Schema.TaggedError<DatabaseBroken>()("DatabaseBroken", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the embedded database stopped: ${this.detail}`
  }
}
