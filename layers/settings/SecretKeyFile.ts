import { BadKeyFile, CannotKeepKey, MissingKeyFile } from "#layers/CannotStart.ts"
import * as DataDirectory from "#layers/postgres/embedded/DataDirectory.ts"
import { Settings } from "#layers/settings/Settings.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { Buffer } from "node:buffer"
import { Context, Effect, FileSystem, Layer, Path, type PlatformError, Redacted, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"

/**
 * The file that holds the secret key, and whether this start made it; `undefined` if the key is `TIDINGS_SECRET_KEY`.
 */
export const KeyFile = Context.Reference<{ readonly file: string; readonly made: boolean } | undefined>(
  "tidings/KeyFile",
  { defaultValue: () => undefined }
)

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64"))

const cannotKeepIn = (directory: string) => Effect.mapError((cause) => new CannotKeepKey({ directory, cause }))

/** Writes a file that is not there yet, for this user only, and syncs it. A part of it is not left behind. */
const writeNew = Effect.fnUntraced(function*(file: string, text: string) {
  const files = yield* FileSystem.FileSystem
  const open = yield* files.open(file, { flag: "wx", mode: 0o600 })
  yield* open.writeAll(new TextEncoder().encode(text)).pipe(
    Effect.andThen(open.sync),
    Effect.onError(() => Effect.ignore(files.remove(file)))
  )
}, Effect.scoped)

/** Leaves the file as it is if another start has made it. */
const unlessThere = <R>(make: Effect.Effect<void, PlatformError.PlatformError, R>) =>
  Effect.catchReason(make, "PlatformError", "AlreadyExists", () => Effect.void)

/** Makes a new key and stores it in this file of the data directory. */
const makeIn = Effect.fnUntraced(function*(dataDir: string, file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  yield* DataDirectory.make(dataDir)
  const fresh = Buffer.from(yield* random.randomBytes(32)).toString("base64")
  // Another process may do the same at this moment: whichever links its draft first wins, and both read that file.
  const draft = path.join(dataDir, `secret.key.${fresh.slice(0, 8).replaceAll(/[^A-Za-z0-9]/g, "x")}`)
  // Every stored digest depends on this key: its bytes and its name must survive a power cut that the first commit
  // survives. The database may be on another machine, so no commit syncs them by the way.
  yield* writeNew(draft, fresh)
  yield* files.link(draft, file).pipe(
    unlessThere,
    // A file system without hard links (FAT, some shared folders). There a start that is cut off may leave a part.
    Effect.catch(() => unlessThere(writeNew(file, fresh))),
    Effect.ensuring(Effect.ignore(files.remove(draft)))
  )
  yield* Effect.scoped(Effect.flatMap(files.open(dataDir), (directory) => directory.sync)).pipe(
    // Windows lets nobody sync a directory.
    Effect.catchReason("PlatformError", "PermissionDenied", () => Effect.void)
  )
})

/** The key that the file holds. Another start may still be writing it: what is no key is read again for a second. */
const keyIn = (dataDir: string, file: string) =>
  FileSystem.FileSystem.use((files) => files.readFileString(file)).pipe(
    cannotKeepIn(dataDir),
    Effect.map((text) => bytesOf(text.trim())),
    Effect.filterOrFail((bytes) => bytes.length === 32, () => new BadKeyFile({ file })),
    Effect.retry({
      while: (error) => error._tag === "BadKeyFile",
      schedule: Schedule.spaced("50 millis"),
      times: 20
    })
  )

/**
 * The secret key of the settings, or else the one kept in the data directory, which is made at the first start
 * (design.md §6).
 */
export const layer = Layer.effectContext(
  Effect.gen(function*() {
    const { databaseUrl, dataDir, secretKey } = yield* Settings
    if (secretKey !== undefined) {
      return Context.make(SecretKey, { bytes: Redacted.make(bytesOf(Redacted.value(secretKey))) })
    }
    const files = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).join(dataDir, "secret.key")
    const cannotKeep = cannotKeepIn(dataDir)
    const made = !(yield* cannotKeep(files.exists(file)))
    if (made) {
      const database = databaseUrl === undefined && (yield* cannotKeep(files.exists(DataDirectory.databaseIn(dataDir))))
      if (database) return yield* new MissingKeyFile({ file })
      yield* cannotKeep(makeIn(dataDir, file))
    }
    return Context.make(SecretKey, { bytes: Redacted.make(yield* keyIn(dataDir, file)) }).pipe(
      Context.add(KeyFile, { file, made })
    )
  })
)
