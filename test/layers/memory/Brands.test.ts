import * as Brands from "#layers/memory/Brands.ts"
import * as Database from "#layers/memory/Database.ts"
import { Scope } from "#schemas/Scope.ts"
import { BrandLimit, Brands as Service } from "#src/content/Brands.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const limited = Brands.layer.pipe(
  Layer.provide([Database.layer, secretKey(7), NodeCrypto.layer, Layer.succeed(BrandLimit, 2)])
)

it.effect("an environment has no more brands than the operator allows", () =>
  Effect.gen(function*() {
    const brands = yield* Service
    const one = Scope.make(1)
    yield* brands.create(one, "a", { name: "A" })
    yield* brands.create(one, "b", { name: "B" })
    assert.deepInclude(yield* Effect.flip(brands.create(one, "c", { name: "C" })), { _tag: "TooManyBrands", limit: 2 })
    assert.deepInclude(yield* Effect.flip(brands.create(one, "a", { name: "A" })), { _tag: "BrandExists" })
    yield* brands.create(Scope.make(2), "c", { name: "C" })
    yield* brands.remove(one, "b")
    yield* brands.create(one, "c", { name: "C" })
  }).pipe(Effect.provide(limited)))
