import { BadKeyFile, CannotKeepKey } from "#layers/CannotStart.ts"
import * as DataDirectory from "#layers/postgres/embedded/DataDirectory.ts"
import { Settings } from "#layers/settings/Settings.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { Buffer } from "node:buffer"
import { Effect, FileSystem, Layer, Path, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64"))

/** What the file of the data directory holds; a file that is not there is made. */
const keptIn = Effect.fnUntraced(function*(dataDir: string, file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  if (!(yield* files.exists(file))) {
    yield* DataDirectory.make(dataDir)
    const fresh = Buffer.from(yield* random.randomBytes(32)).toString("base64")
    // Another process may make it at the same time: whoever links first wins, and both read that one.
    const draft = path.join(dataDir, `secret.key.${fresh.slice(0, 8).replaceAll(/[^A-Za-z0-9]/g, "x")}`)
    yield* Effect.scoped(Effect.gen(function*() {
      const open = yield* files.open(draft, { flag: "wx", mode: 0o600 })
      yield* open.writeAll(new TextEncoder().encode(fresh))
      // Every stored digest hangs on this key: it must survive a power cut that the first commit survives.
      yield* open.sync
    }))
    yield* Effect.ignore(files.link(draft, file))
    yield* files.remove(draft)
  }
  return yield* files.readFileString(file)
})

/** The secret key of the settings, else the one kept in the data directory, made there on the first start (design.md §6). */
export const layer = Layer.effect(
  SecretKey,
  Effect.gen(function*() {
    const { dataDir, secretKey } = yield* Settings
    if (secretKey !== undefined) {
      return SecretKey.of({ bytes: Redacted.make(bytesOf(Redacted.value(secretKey))) })
    }
    const file = (yield* Path.Path).join(dataDir, "secret.key")
    const kept = yield* keptIn(dataDir, file).pipe(
      Effect.mapError((cause) => new CannotKeepKey({ directory: dataDir, cause }))
    )
    const bytes = bytesOf(kept.trim())
    if (bytes.length !== 32) return yield* new BadKeyFile({ file })
    return SecretKey.of({ bytes: Redacted.make(bytes) })
  })
)
