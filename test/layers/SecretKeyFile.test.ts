import * as SecretKeyFile from "#layers/settings/SecretKeyFile.ts"
import * as Settings from "#layers/settings/Settings.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Redacted } from "effect"

const keyOf = (directory: string, variables: Readonly<Record<string, string>> = {}) =>
  SecretKey.pipe(
    Effect.provide(SecretKeyFile.layer.pipe(Layer.provide(Settings.layer))),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ TIDINGS_DATA_DIR: directory, ...variables }))),
    Effect.map(({ bytes }) => Redacted.value(bytes))
  )

const services = Layer.merge(NodeCrypto.layer, NodeServices.layer)

describe("the secret key's file", () => {
  it.effect("the secret key is made once and kept, for this user only", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = `${yield* files.makeTempDirectoryScoped()}/of/its/own`
      const made = yield* keyOf(directory)
      assert.lengthOf(made, 32)
      assert.deepStrictEqual(yield* files.readDirectory(directory), ["secret.key"])
      assert.strictEqual((yield* files.stat(`${directory}/secret.key`)).mode & 0o777, 0o600)
      yield* files.makeDirectory(`${directory}/postgres`)
      assert.deepStrictEqual(yield* keyOf(directory), made)
    }).pipe(Effect.provide(services)))

  it.effect("a secret key that is set is the one, and none is kept", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const TIDINGS_SECRET_KEY = Buffer.alloc(32, 7).toString("base64")
      assert.deepStrictEqual(yield* keyOf(directory, { TIDINGS_SECRET_KEY }), new Uint8Array(32).fill(7))
      assert.deepStrictEqual(yield* files.readDirectory(directory), [])
    }).pipe(Effect.provide(services)))

  it.effect("a power cut after the start loses neither the secret key's bytes nor its name", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const done: Array<string> = []
      const noted = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
        Effect.tap(effect, () => Effect.sync(() => done.push(what)))
      const watched = FileSystem.FileSystem.of({
        ...files,
        link: (from, to) => noted("link", files.link(from, to)),
        open: (path, options) =>
          Effect.map(files.open(path, options), (file) => {
            const sync = noted(path === directory ? "sync directory" : "sync file", file.sync)
            return Object.create(file, { sync: { value: sync } })
          })
      })
      yield* keyOf(directory).pipe(Effect.provideService(FileSystem.FileSystem, watched))
      assert.deepStrictEqual(done, ["sync file", "link", "sync directory"])
    }).pipe(Effect.provide(services)))

  it.effect("a data directory that cannot keep it is named, with what the system said", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/file`
      yield* files.writeFileString(file, "")
      assert.strictEqual(
        (yield* Effect.flip(keyOf(file))).message,
        `cannot keep the secret key in data directory ${file}: ENOTDIR: not a directory, access '${file}/secret.key'; ` +
          "make it writable, or set TIDINGS_DATA_DIR"
      )
    }).pipe(Effect.provide(services)))

  it.effect("a kept file that holds less than a key is no key: digests would hang on next to nothing", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      for (const held of ["", "junk"]) {
        yield* files.writeFileString(`${directory}/secret.key`, held)
        assert.strictEqual(
          (yield* Effect.flip(keyOf(directory))).message,
          `${directory}/secret.key does not hold 32 bytes in base64; put back the key that it held, or set TIDINGS_SECRET_KEY to it`
        )
      }
    }).pipe(Effect.provide(services)))

  it.effect("a database without its key file is told by the file that is missing, and no other key is put there", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      yield* files.makeDirectory(`${directory}/postgres`)
      assert.strictEqual(
        (yield* Effect.flip(keyOf(directory))).message,
        `${directory}/secret.key is missing, but the database beside it was set up with a key; ` +
          "put the file back, or set TIDINGS_SECRET_KEY to that key"
      )
      assert.deepStrictEqual(yield* files.readDirectory(directory), ["postgres"])
    }).pipe(Effect.provide(services)))
})
