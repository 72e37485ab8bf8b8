import { DataDirectoryInUse, DataDirectoryUnusable } from "#layers/postgres/embedded/EmbeddedError.ts"
import { Effect, Option, Predicate, Schedule, Schema, type Scope } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { createServer, type Server } from "node:net"
import { basename, join } from "node:path"

const Owner = Schema.Struct({ pid: Schema.Int, command: Schema.String })
type Owner = typeof Owner.Type
const OwnerFile = Schema.fromJsonString(Owner)

type LockError = DataDirectoryInUse | DataDirectoryUnusable

const fileOf = (directory: string) => join(directory, "owner.json")

const self = (): Owner => ({
  pid: process.pid,
  command: [process.execPath, ...process.argv.slice(1, 2)].map((path) => basename(path)).join(" ")
})

const unusable = (directory: string) => (cause: unknown) => new DataDirectoryUnusable({ directory, cause })

const hasCode = (error: unknown, code: string) => Predicate.hasProperty(error, "code") && error.code === code

const attempt = <A>(directory: string, run: () => A): Effect.Effect<A, DataDirectoryUnusable> =>
  Effect.try({ try: run, catch: unusable(directory) })

/** EPERM means that the process is alive and belongs to another user. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, "EPERM")
  }
}

const readOwner = (path: string): Effect.Effect<Option.Option<Owner>> =>
  Effect.try(() => Fs.readFileSync(path, "utf8")).pipe(
    Effect.flatMap(Schema.decodeEffect(OwnerFile)),
    Effect.option
  )

/** Writes the owner's file: it is made beside its place and moved there whole, so that nobody reads half of it. */
const writeOwner = (directory: string, put: (from: string, to: string) => void) =>
  Effect.flatMap(Effect.orDie(Schema.encodeEffect(OwnerFile)(self())), (text) =>
    Effect.try({
      try: () => {
        const draft = `${fileOf(directory)}.${process.pid}`
        try {
          Fs.writeFileSync(draft, text)
          put(draft, fileOf(directory))
        } finally {
          Fs.rmSync(draft, { force: true })
        }
      },
      catch: (cause): unknown => cause
    }))

const removeOwner = (directory: string) => Effect.sync(() => Fs.rmSync(fileOf(directory), { force: true }))

/** Fails with the owner, which may only be about to write its description: so reading it is tried for a moment. */
const inUse = (directory: string): Effect.Effect<never, DataDirectoryInUse> =>
  readOwner(fileOf(directory)).pipe(
    Effect.flatMap(Effect.fromOption),
    Effect.filterOrFail(({ pid }) => isAlive(pid)),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 10 }),
    Effect.option,
    Effect.flatMap((owner) => Effect.fail(new DataDirectoryInUse({ directory, owner: Option.getOrUndefined(owner) })))
  )

const listen = (name: string): Effect.Effect<Server, unknown> =>
  Effect.callback((resume) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(name, () => {
      server.unref()
      resume(Effect.succeed(server))
    })
  })

/** Takes a name that the kernel gives to one process at a time, until the scope closes or the process ends, however. */
const takeName = (directory: string, what: string) =>
  Effect.acquireRelease(
    listen(`\0tidings-${createHash("sha256").update(what).digest("hex").slice(0, 40)}`).pipe(
      Effect.catch((error): Effect.Effect<never, LockError> =>
        hasCode(error, "EADDRINUSE") ? inUse(directory) : Effect.fail(unusable(directory)(error))
      )
    ),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

/**
 * On Linux, the lock is two abstract Unix sockets: one is named after the directory's real path, and one after its
 * device and inode, since a directory that is moved or mounted a second time has another path. The file only describes
 * the owner. Containers with network namespaces of their own do not see each other's sockets.
 */
export const acquireBySocket = Effect.fnUntraced(function*(directory: string) {
  const { dev, ino } = yield* attempt(directory, () => Fs.statSync(directory, { bigint: true }))
  yield* takeName(directory, directory)
  yield* takeName(directory, `${dev}:${ino}`)
  yield* Effect.acquireRelease(
    Effect.mapError(writeOwner(directory, Fs.renameSync), unusable(directory)),
    () => removeOwner(directory)
  )
})

const isLockError = Schema.is(Schema.Union([DataDirectoryInUse, DataDirectoryUnusable]))

/**
 * Elsewhere: a file that names the owner and is made only where none is. One whose owner is dead is moved away first;
 * what was moved is looked at again, because another process may have done the same a moment before.
 */
export const acquireByFile = Effect.fnUntraced(function*(directory: string) {
  const file = fileOf(directory)
  const claim = Effect.suspend(() => writeOwner(directory, Fs.linkSync))
  const clear = Effect.gen(function*() {
    const owner = yield* readOwner(file)
    if (Option.isSome(owner) && isAlive(owner.value.pid)) return yield* inUse(directory)
    const aside = `${file}.${process.pid}.stale`
    yield* Effect.ignore(attempt(directory, () => Fs.renameSync(file, aside))) // It may be gone: somebody was quicker.
    const moved = yield* readOwner(aside)
    if (Option.isSome(moved) && isAlive(moved.value.pid)) {
      yield* attempt(directory, () => Fs.renameSync(aside, file))
      return yield* inUse(directory)
    }
    yield* attempt(directory, () => Fs.rmSync(aside, { force: true }))
  })
  yield* Effect.acquireRelease(
    claim.pipe(
      Effect.catch((error) => hasCode(error, "EEXIST") ? Effect.andThen(clear, claim) : Effect.fail(error)),
      Effect.catch((error): Effect.Effect<never, LockError> => {
        if (hasCode(error, "EEXIST")) return inUse(directory)
        return Effect.fail(isLockError(error) ? error : unusable(directory)(error))
      })
    ),
    () => removeOwner(directory)
  )
})

/**
 * Makes this process the only owner of a data directory (a real path) until the scope closes or the process ends, kill
 * -9 included. Two PGlites on one directory would eat each other's rows without an error (electric-sql/pglite#1106). A
 * live owner is never robbed.
 */
export const acquire = (directory: string): Effect.Effect<void, LockError, Scope.Scope> =>
  process.platform === "linux" ? acquireBySocket(directory) : acquireByFile(directory)
