import * as SecretKeyFile from "#layers/settings/SecretKeyFile.ts"
import * as Settings from "#layers/settings/Settings.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, FileSystem, Layer, PlatformError, Redacted } from "effect"
import { TestClock } from "effect/testing"

const keyOf = (directory: string, variables: Readonly<Record<string, string>> = {}) =>
  SecretKey.pipe(
    Effect.provide(SecretKeyFile.layer.pipe(Layer.provide(Settings.layer))),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ TIDINGS_DATA_DIR: directory, ...variables }))),
    Effect.map(({ bytes }) => Redacted.value(bytes))
  )

const services = Layer.merge(NodeCrypto.layer, NodeServices.layer)

const failed = (tag: PlatformError.SystemErrorTag, method: string, cause: string) =>
  Effect.fail(PlatformError.systemError({ _tag: tag, module: "FileSystem", method, cause: new Error(cause) }))

/** FAT, exFAT and some shared folders know no hard links, and each says so in words of its own. */
const withoutLinks = [
  ["PermissionDenied", "EPERM: operation not permitted"],
  ["Unknown", "EOPNOTSUPP: operation not supported"]
] as const

/** Files of which `done` is told what is synced and linked, by names without chance. */
const noting = (files: FileSystem.FileSystem, done: Array<string>, directory: string): FileSystem.FileSystem => {
  const noted = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
    Effect.tap(effect, () => Effect.sync(() => done.push(what)))
  const nameOf = (path: string) =>
    path === directory ? "directory" : path.endsWith("/secret.key") ? "secret.key" : "draft"
  return FileSystem.FileSystem.of({
    ...files,
    link: (from, to) => noted("link", files.link(from, to)),
    open: (path, options) =>
      Effect.map(
        files.open(path, options),
        (file) => Object.create(file, { sync: { value: noted(`sync ${nameOf(path)}`, file.sync) } })
      )
  })
}

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
      const watched = noting(files, done, directory)
      yield* keyOf(directory).pipe(Effect.provideService(FileSystem.FileSystem, watched))
      assert.deepStrictEqual(done, ["sync draft", "link", "sync directory"])
    }).pipe(Effect.provide(services)))

  it.effect.each(withoutLinks)(
    "where no hard link can be made (%s), the secret key is kept too, in a file that survives a power cut",
    ([tag, cause]) =>
      Effect.gen(function*() {
        const files = yield* FileSystem.FileSystem
        const directory = yield* files.makeTempDirectoryScoped()
        const done: Array<string> = []
        const linkless = { ...noting(files, done, directory), link: () => failed(tag, "link", cause) }
        const made = yield* keyOf(directory).pipe(Effect.provideService(FileSystem.FileSystem, linkless))
        assert.lengthOf(made, 32)
        assert.deepStrictEqual(done.slice(-2), ["sync secret.key", "sync directory"])
        assert.deepStrictEqual(yield* files.readDirectory(directory), ["secret.key"])
        assert.strictEqual((yield* files.stat(`${directory}/secret.key`)).mode & 0o777, 0o600)
        assert.deepStrictEqual(yield* keyOf(directory), made)
      }).pipe(Effect.provide(services))
  )

  it.effect("of starts at one moment where no hard link can be made, all have one key", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const linkless = { ...files, link: () => failed("PermissionDenied", "link", "EPERM") }
      const starts = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 8 }, () => keyOf(directory)), { concurrency: "unbounded" }).pipe(
          Effect.provideService(FileSystem.FileSystem, linkless)
        )
      )
      while (starts.pollUnsafe() === undefined) yield* TestClock.adjust("50 millis")
      const keys = yield* Fiber.join(starts)
      assert.deepStrictEqual(keys, keys.map(() => keys[0]))
      assert.deepStrictEqual(yield* files.readDirectory(directory), ["secret.key"])
    }).pipe(Effect.provide(services)))

  it.effect("a key that another start is still writing is waited for", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${directory}/secret.key`, "")
      const early = yield* Deferred.make<void>()
      const watched = FileSystem.FileSystem.of({
        ...files,
        readFileString: (path) => Effect.tap(files.readFileString(path), () => Deferred.succeed(early, undefined))
      })
      const reader = yield* Effect.forkChild(
        keyOf(directory).pipe(Effect.provideService(FileSystem.FileSystem, watched))
      )
      yield* Deferred.await(early)
      yield* files.writeFileString(`${directory}/secret.key`, Buffer.alloc(32, 7).toString("base64"))
      while (reader.pollUnsafe() === undefined) yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Fiber.join(reader), new Uint8Array(32).fill(7))
    }).pipe(Effect.provide(services)))

  it.effect("a start that cannot write the key itself leaves no part of it, and says what the system said", () =>
    Effect.gen(function*() {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const full = FileSystem.FileSystem.of({
        ...files,
        link: () => failed("PermissionDenied", "link", "EPERM"),
        open: (path, options) =>
          Effect.map(
            files.open(path, options),
            (file) =>
              path.endsWith("secret.key")
                ? Object.create(file, { sync: { value: failed("Unknown", "sync", "ENOSPC: no space left") } })
                : file
          )
      })
      const { message } = yield* Effect.flip(
        keyOf(directory).pipe(Effect.provideService(FileSystem.FileSystem, full))
      )
      assert.strictEqual(
        message,
        `cannot keep the secret key in data directory ${directory}: ENOSPC: no space left; make room there, or set TIDINGS_DATA_DIR`
      )
      assert.deepStrictEqual(yield* files.readDirectory(directory), [])
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
        const refused = yield* Effect.forkChild(Effect.flip(keyOf(directory)))
        while (refused.pollUnsafe() === undefined) yield* TestClock.adjust("50 millis")
        assert.strictEqual(
          (yield* Fiber.join(refused)).message,
          `${directory}/secret.key does not hold 32 bytes in base64; put back the key that it held, ` +
            "or set TIDINGS_SECRET_KEY to it; if the first start was cut off while it wrote the key, remove the file"
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
