import * as Installation from "#layers/postgres/Installation.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"

const key = (fill: number) =>
  Layer.succeed(SecretKey, SecretKey.of({ bytes: Redacted.make(new Uint8Array(32).fill(fill)) }))

const start = (database: Redacted.Redacted, options: { readonly key: number; readonly shards: number }) =>
  Effect.void.pipe(
    Effect.provide(
      Installation.layer(options.shards).pipe(
        Layer.provide(Migrations.layer),
        Layer.provide([FreshDatabase.node(database), key(options.key)])
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
