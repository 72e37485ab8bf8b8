import * as ExitCode from "#layers/ExitCode.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Predicate, Runtime, Schema } from "effect"
import { Migrator, SqlError } from "effect/sql"

const inWords: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there",
  EADDRNOTAVAIL: "it is no address of this machine",
  EACCES: "this user may not listen there",
  ENOTFOUND: "this machine knows no host of that name"
}

/** The error at the end of a chain of causes: what the system or the database itself said. */
const innermost = (error: unknown): unknown =>
  Predicate.hasProperty(error, "cause") && Predicate.isObject(error.cause) ? innermost(error.cause) : error

/** The code that the system gave the innermost error; empty if it has none. */
const codeOf = (error: unknown): string => {
  const last = innermost(error)
  return Predicate.hasProperty(last, "code") ? String(last.code) : ""
}

/** This user may not listen on such a port, now or later. A path is another thing: its disk may not be mounted yet. */
const listeningCode = (cause: unknown): number => codeOf(cause) === "EACCES" ? ExitCode.configuration : 1

/** Whether a start could not listen because another process does. */
export const isTaken = (cause: unknown): boolean => codeOf(cause) === "EADDRINUSE"

/**
 * The message of the innermost error. When a connection was tried on several addresses, Node's error has no message,
 * only a code.
 */
export const said = (error: unknown): string => {
  const last = innermost(error)
  const words = Predicate.hasProperty(last, "message") ? String(last.message) : String(last)
  return words === "" && Predicate.hasProperty(last, "code") ? String(last.code) : words
}

/** A URL names no user, and the system has no name for this one. */
const nameless = /^No username configured|no PostgreSQL user name/i

/** What the client says of a port or a time in the URL that is none. */
const unreadable = /^Invalid (?:port|connect_timeout) in URL/

/** No later try is better. */
const isLasting = (words: string): boolean => nameless.test(words) || unreadable.test(words)

/** What to do about what a database or the connection to it says of itself, in words that managed databases have too. */
const remedies: ReadonlyArray<readonly [said: RegExp, remedy: string]> = [
  [
    // Node's words, OpenSSL's, and Deno's.
    /self.signed certificate|unable to (?:get|verify) .*(?:certificate|issuer)|UnknownIssuer/i,
    "name the authority that signed it: sslrootcert=/path/ca.crt in DATABASE_URL"
  ],
  [/no encryption$|SSL off$|SSL (?:connection )?is required/i, "it wants TLS: add sslmode=require to DATABASE_URL"],
  [
    /too many (?:connections|clients)|connection slots|lent no session/i,
    "a node takes up to 14 sessions, 10 with TIDINGS_WORKERS=0, beside those that others have"
  ],
  [
    /read-only transaction/,
    "its transactions begin read-only: set default_transaction_read_only = off for that database and role, or make room " +
    "where its host has set that for want of it"
  ],
  // Of the locks of all transactions, other databases' too: a migration locks every table that it makes.
  [/^out of shared memory/, "raise max_locks_per_transaction of that server, or start again when it has less to do"],
  // What the client says, and what the database does.
  [nameless, "name the role in DATABASE_URL: postgres://role@…"],
  [/^permission denied for/i, "grant that to the role of DATABASE_URL"],
  // What its first session asks for came with version 14.
  [/^unrecognized configuration parameter/, "Tidings needs Postgres 14 or newer"]
]

/** What the system or the database said, and what to do about it if that is known. */
const advised = (error: unknown): string => {
  const words = said(error)
  const remedy = remedies.find(([pattern]) => pattern.test(words))?.[1]
  return remedy === undefined ? words : `${words}; ${remedy}`
}

const isOfStore = (error: unknown): boolean =>
  SqlError.isSqlError(error) || error instanceof StoreUnavailable || error instanceof Migrator.MigrationError

/**
 * Why a start, or whatever is named, failed, one line per fault. The store's own errors say no more than that a query
 * failed, so the database's message is given.
 */
export const sentence = (error: unknown, what = "a start"): string =>
  isOfStore(error)
    ? `the database did not do what ${what} needs: ${advised(error)}`
    : Predicate.hasProperty(error, "message")
    ? String(error.message)
    : String(error)

/** The server cannot listen on this address. `variable` is the setting that changes it. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  address: Schema.String,
  variable: Schema.String,
  cause: Schema.Defect()
}) {
  override readonly [Runtime.errorExitCode] = listeningCode(this.cause)
  override get message(): string {
    const remedy = `${isTaken(this.cause) ? "free it or " : ""}set ${this.variable}`
    return `cannot listen on ${this.address}: ${inWords[codeOf(this.cause)] ?? said(this.cause)}; ${remedy}`
  }
}

/** What to do where the data directory cannot be written. */
export const toWrite = (cause: unknown): string =>
  `${/ENOSPC|EDQUOT/.test(said(cause)) ? "make room there" : "make it writable"}, or set TIDINGS_DATA_DIR`

/** The data directory cannot keep the secret key (design.md §6). */
export class CannotKeepKey extends Schema.TaggedError<CannotKeepKey>()("CannotKeepKey", {
  directory: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `cannot keep the secret key in data directory ${this.directory}: ${said(this.cause)}; ${toWrite(this.cause)}`
  }
}

/** The key file does not hold a key of 32 bytes. Everything sealed with it would be weaker than promised. */
export class BadKeyFile extends Schema.TaggedError<BadKeyFile>()("BadKeyFile", { file: Schema.String }) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
  override get message(): string {
    return `${this.file} does not hold 32 bytes in base64; put back the key that it held, or set TIDINGS_SECRET_KEY to it; ` +
      "if the first start was cut off while it wrote the key, remove the file"
  }
}

/** The data directory has a database but no key. A new key could not open what is sealed in that database. */
export class MissingKeyFile extends Schema.TaggedError<MissingKeyFile>()("MissingKeyFile", { file: Schema.String }) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
  override get message(): string {
    return `${this.file} is missing, but the database beside it was set up with a key; put the file back, ` +
      "or set TIDINGS_SECRET_KEY to that key"
  }
}

/**
 * The operator's database was not reached, or refused this server. The message leaves out the URL, which holds a
 * password (P9).
 */
export class CannotConnect extends Schema.TaggedError<CannotConnect>()("CannotConnect", {
  cause: Schema.Defect()
}) {
  override readonly [Runtime.errorExitCode] = isLasting(said(this.cause)) ? ExitCode.configuration : 1
  override get message(): string {
    return `cannot connect to the database of DATABASE_URL: ${advised(this.cause)}`
  }
}

/** A file that the URL of the operator's database names cannot be read. `parameter`: as which; `reason`: why. */
export class UnreadableFile extends Schema.TaggedError<UnreadableFile>()("UnreadableFile", {
  parameter: Schema.String,
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
  override get message(): string {
    return `DATABASE_URL says ${this.parameter}=${this.path}, which cannot be read (${this.reason})`
  }
}

/** A pooler between this server and its database lends a session for one transaction at a time. */
export class SharedSessions extends Schema.TaggedError<SharedSessions>()("SharedSessions", {}) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
  override get message(): string {
    return "DATABASE_URL leads to a pooler that gives each transaction another session (PgBouncer's transaction mode), and locks and LISTEN " +
      "need one of their own; name Postgres itself there, or a pool in session mode"
  }
}

/** The operator's database gives fewer sessions than are needed (`fewest`). `remedy`: what to do about it. */
export class TooFewSessions extends Schema.TaggedError<TooFewSessions>()("TooFewSessions", {
  count: Schema.Int,
  fewest: Schema.Int,
  remedy: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the database of DATABASE_URL gives ${this.count} sessions where ${this.fewest} are needed ` +
      `(${said(this.cause)}); ${this.remedy}`
  }
}

/** The operator's database is a standby, which only follows another one. */
export class OnlyStandby extends Schema.TaggedError<OnlyStandby>()("OnlyStandby", {}) {
  override get message(): string {
    return "DATABASE_URL leads to a standby, which is read-only; name its primary there, or promote it"
  }
}

/** The operator's database has an encoding that cannot hold every text. */
export class OtherEncoding extends Schema.TaggedError<OtherEncoding>()("OtherEncoding", { encoding: Schema.String }) {
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
  override get message(): string {
    return `the database of DATABASE_URL keeps text as ${this.encoding}, which has no room for all that messages say; ` +
      "make one with: create database … encoding 'UTF8' template template0"
  }
}

/**
 * An engine worker of this server ended, with this exit code, before it had started. `message` has one line per fault,
 * as it said them.
 */
export class WorkerFailed extends Schema.TaggedError<WorkerFailed>()("WorkerFailed", {
  message: Schema.String,
  code: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = this.code === ExitCode.configuration ? this.code : 1
}
