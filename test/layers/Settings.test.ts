import * as SecretKeyFile from "#layers/settings/SecretKeyFile.ts"
import * as Settings from "#layers/settings/Settings.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Redacted } from "effect"

const settings = (variables: Readonly<Record<string, string>>) =>
  Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))))

const keyOf = (directory: string, variables: Readonly<Record<string, string>> = {}) =>
  SecretKey.pipe(
    Effect.provide(SecretKeyFile.layer.pipe(Layer.provide(settings({ TIDINGS_DATA_DIR: directory, ...variables })))),
    Effect.map(({ bytes }) => Redacted.value(bytes))
  )

const services = Layer.merge(NodeCrypto.layer, NodeServices.layer)

describe("settings (design.md §6)", () => {
  it.effect("networks that webhooks may reach are read before anything starts, and refused in one line", () =>
    Effect.gen(function*() {
      for (const networks of ["localhost", "127.0.0.1/8", "10.0.0.0/8,x"]) {
        const { message } = yield* Effect.flip(
          Effect.scoped(Layer.build(settings({ TIDINGS_OUTBOUND_ALLOW: networks })))
        )
        assert.strictEqual(
          message,
          "TIDINGS_OUTBOUND_ALLOW must be networks such as 10.1.0.0/16, between commas, with no bit set after the prefix"
        )
      }
      for (const networks of ["", "10.1.0.0/16", "10.1.0.0/16, fd00::/8"])
        yield* Effect.scoped(Layer.build(settings({ TIDINGS_OUTBOUND_ALLOW: networks })))
    }))

  it.effect("a database's or Redis's URL that cannot be one is refused before anything of its password is taken for a host", () =>
    Effect.gen(function*() {
      const faultOf = (variables: Readonly<Record<string, string>>) =>
        Effect.map(Effect.flip(Effect.scoped(Layer.build(settings(variables)))), ({ message }) => message)
      for (
        const rest of ["://u:a@b#c@host/x", "://u:a@b/c@host/x", "://u:a/b@host/x", "://u:a#b@host", "://host:99999/x"]
      ) {
        assert.strictEqual(
          yield* faultOf({ DATABASE_URL: `postgres${rest}` }),
          "DATABASE_URL must be a postgres:// URL, its password percent-encoded"
        )
        assert.strictEqual(
          yield* faultOf({ REDIS_URL: `redis${rest}` }),
          "REDIS_URL must be a redis:// or rediss:// URL, its password percent-encoded"
        )
      }
      for (
        const DATABASE_URL of [
          "",
          "postgresql://host",
          "postgres:///x?host=/run/postgresql",
          "postgres://u:a%23b%2Fc%40@host:5432/x?sslmode=require",
          "postgres://%2Frun%2Fpostgresql/x"
        ]
      )
        yield* Effect.scoped(Layer.build(settings({ DATABASE_URL, REDIS_URL: "rediss://:a%23b@host:6380/1" })))
    }))

  it.effect("a cluster port that leaves none for a worker is refused: the worker would be started again for ever", () =>
    Effect.gen(function*() {
      const variables = { DATABASE_URL: "postgres://host", TIDINGS_CLUSTER_PORT: "65534" }
      yield* Effect.scoped(Layer.build(settings({ ...variables, TIDINGS_WORKERS: "1" })))
      assert.strictEqual(
        (yield* Effect.flip(Effect.scoped(Layer.build(settings({ ...variables, TIDINGS_WORKERS: "2" }))))).message,
        "TIDINGS_CLUSTER_PORT must be a port number, with one more after it for each of TIDINGS_WORKERS"
      )
    }))

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
