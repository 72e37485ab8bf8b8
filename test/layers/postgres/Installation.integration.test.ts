import * as Installation from "#layers/postgres/Installation.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import { KeyFile } from "#layers/settings/SecretKeyFile.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"

const start = (database: Redacted.Redacted, options: { readonly key: number; readonly shards: number }) =>
  Effect.void.pipe(
    Effect.provide(
      Installation.layer(options.shards).pipe(
        Layer.provide(Migrations.layer),
        Layer.provide([FreshDatabase.node(database), secretKey(options.key)])
      )
    )
  )

describe("Installation", () => {
  it.effect("a node with the same key and shard count starts, at once or later", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      const same = start(database, { key: 1, shards: 64 })
      yield* Effect.all([same, same, same], { concurrency: "unbounded", discard: true })
      yield* same
    }))

  it.effect("P9: a node with another secret key refuses to start, and the sentence names the variable", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      yield* start(database, { key: 1, shards: 64 })
      const error = yield* Effect.flip(start(database, { key: 2, shards: 64 }))
      assert.strictEqual(error._tag, "OtherInstallation")
      assert.include(error.message, "TIDINGS_SECRET_KEY")
    }))

  it.effect("P9: the sentence names the key's file where it came from one, and says when that was missing", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      yield* start(database, { key: 1, shards: 64 })
      const told = { "was missing, and the new key made in it is not": true, "does not hold": false }
      for (const [found, made] of Object.entries(told)) {
        const error = yield* Effect.flip(
          start(database, { key: 2, shards: 64 }).pipe(
            Effect.provideService(KeyFile, { file: "data/secret.key", made })
          )
        )
        assert.strictEqual(
          error.message,
          `data/secret.key ${found} the key that this database was set up with; ` +
            "put the first node's secret.key back, or set TIDINGS_SECRET_KEY to that key."
        )
      }
    }))

  it.effect("P2: a node with another shard count refuses to start, and the sentence names both", () =>
    Effect.gen(function*() {
      const database = yield* FreshDatabase.url
      yield* start(database, { key: 1, shards: 64 })
      const error = yield* Effect.flip(start(database, { key: 1, shards: 32 }))
      assert.strictEqual(error._tag, "OtherInstallation")
      assert.include(error.message, "TIDINGS_SHARDS is 32")
      assert.include(error.message, "64")
    }))
})
