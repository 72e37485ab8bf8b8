import { DataDirectoryInUse, DataDirectoryUnusable, Owner } from "#layers/postgres/embedded/EmbeddedError.ts"
import { Effect, Option, Predicate, Schedule, Schema, type Scope } from "effect"
import * as Fs from "node:fs"
import { hostname } from "node:os"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const OwnerFile = Schema.fromJsonString(Owner)

const fileOf = (directory: string) => join(directory, "owner.json")

const self = (): Owner => ({
  pid: process.pid,
  command: [process.execPath, ...process.argv.slice(1, 2)].map((path) => basename(path)).join(" "),
  host: hostname()
})

const attempt = <A>(directory: string, run: () => A): Effect.Effect<A, DataDirectoryUnusable> =>
  Effect.try({ try: run, catch: (cause) => new DataDirectoryUnusable({ directory, cause }) })

/** Whether the process that wrote this may still run: one of another host, such as a container, cannot be asked for. */
const mayRun = ({ host, pid }: Owner): boolean => {
  if (host !== hostname()) return true
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM means that the process is alive and belongs to another user.
    return Predicate.hasProperty(error, "code") && error.code === "EPERM"
  }
}

/** Fails with the owner, which may only be about to write its description: so reading it is tried for a moment. */
const inUse = (directory: string): Effect.Effect<never, DataDirectoryInUse> =>
  Effect.try(() => Fs.readFileSync(fileOf(directory), "utf8")).pipe(
    Effect.flatMap(Schema.decodeEffect(OwnerFile)),
    Effect.filterOrFail(mayRun),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 10 }),
    Effect.option,
    Effect.flatMap((owner) => Effect.fail(new DataDirectoryInUse({ directory, owner: Option.getOrUndefined(owner) })))
  )

const isLocked = ({ cause }: DataDirectoryUnusable) => cause instanceof Error && cause.message === "database is locked"

/** Writes the owner's description beside its place and moves it there whole, so that nobody reads half of it. */
const describe = Effect.fnUntraced(function*(directory: string) {
  const text = yield* Effect.orDie(Schema.encodeEffect(OwnerFile)(self()))
  const draft = `${fileOf(directory)}.new`
  yield* attempt(directory, () => {
    Fs.writeFileSync(draft, text)
    Fs.renameSync(draft, fileOf(directory))
  })
})

/**
 * Makes this process the only owner of a data directory until the scope closes or the process ends, kill -9 included.
 * Two PGlites on one directory would eat each other's rows without an error (electric-sql/pglite#1106).
 *
 * The lock is SQLite's exclusive one on an empty file, which is the kernel's: it knows no stale owner, holds wherever
 * the directory is moved or mounted, and between containers too. The file is never removed, since whoever waits for a
 * removed one owns nothing, and no journal stands beside it. `owner.json` only tells others who the owner is.
 */
export const acquire = Effect.fnUntraced(
  function*(directory: string): Effect.fn.Return<void, DataDirectoryInUse | DataDirectoryUnusable, Scope.Scope> {
    const lock = yield* Effect.acquireRelease(
      attempt(directory, () => new DatabaseSync(join(directory, "owner.lock"))),
      (opened) => Effect.sync(() => opened.close())
    )
    yield* attempt(directory, () => lock.exec("pragma journal_mode = memory; begin exclusive")).pipe(
      Effect.catchIf(isLocked, () => inUse(directory))
    )
    yield* Effect.acquireRelease(
      describe(directory),
      () => Effect.sync(() => Fs.rmSync(fileOf(directory), { force: true }))
    )
  }
)
