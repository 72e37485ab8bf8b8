import * as Stored from "#layers/postgres/ApiKeys.ts"
import * as Audits from "#layers/postgres/Audit.ts"
import * as KeyRing from "#layers/postgres/KeyRing.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import { Scope } from "#schemas/Scope.ts"
import { ApiKeys, KeysUnseen } from "#src/access/ApiKeys.ts"
import { Audit } from "#src/reports/Audit.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"

const store = Layer.mergeAll(Stored.layer, Audits.layer).pipe(
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge([
    NodeCrypto.layer,
    FreshDatabase.layerEmpty,
    secretKey(1)
  ])
)

const secret = "s3cret-part-of-these-four-keys-0"
const four = ["pk_prod_", "dk_prod_", "pk_test_", "dk_test_"].map((prefix) => prefix + secret)

const setUp = ApiKeys.use((keys) => keys.bootstrap(Redacted.make(secret)))

/** Which of these texts open something, to a node that has not seen them before. */
const opening = Effect.fnUntraced(function*(texts: ReadonlyArray<string>) {
  const keys = yield* ApiKeys
  return yield* Effect.filter(texts, (text) => Effect.isSuccess(keys.authenticate(Redacted.make(text))))
}, (asking) => Effect.provide(asking, Layer.fresh(Stored.layer)))

const deeds = Effect.forEach(
  [1, 2],
  (scope) => Audit.use(({ list }) => list(Scope.make(scope), { cursor: undefined, limit: 100 }))
).pipe(
  Effect.map((pages) => pages.flatMap(({ items }) => items.map(({ target, type }) => `${type} ${target}`).toReversed()))
)

describe("one API key of several", () => {
  it.live("is ended by its name or as it is, the others stay, and the audit says so", () =>
    Effect.gen(function*() {
      yield* setUp
      const names = (yield* KeyRing.list).map(({ name }) => name)
      assert.deepStrictEqual(names.map((name) => name.slice(0, 8)), ["pk_prod_", "dk_prod_", "pk_test_", "dk_test_"])
      const [published = "", , tested = ""] = names
      assert.strictEqual((yield* KeyRing.end(published)).name, published)
      assert.deepStrictEqual(yield* opening(four), four.slice(1))
      assert.strictEqual((yield* KeyRing.end(`pk_test_${secret}`)).name, tested)
      assert.deepStrictEqual(yield* opening(four), [`dk_prod_${secret}`, `dk_test_${secret}`])
      assert.deepStrictEqual(yield* deeds, [
        `api-key.deleted api-keys/${published}`,
        `api-key.deleted api-keys/${tested}`
      ])
    }).pipe(Effect.provide(store)), 60_000)

  it.live("is made beside the others, once it was shown", () =>
    Effect.gen(function*() {
      yield* setUp
      const shown: Array<string> = []
      const unseen = yield* Effect.flip(KeyRing.add("test", "draft", (key) => {
        shown.push(Redacted.value(key))
        return Effect.fail(new KeysUnseen({ cause: "closed" }))
      }))
      assert.propertyVal(unseen, "_tag", "KeysUnseen")
      const names: Array<string> = []
      yield* KeyRing.add("test", "draft", (key, name) =>
        Effect.sync(() => {
          shown.push(Redacted.value(key))
          names.push(name)
        }))
      assert.deepStrictEqual(shown.map((key) => key.slice(0, 8)), ["dk_test_", "dk_test_"])
      assert.deepStrictEqual(yield* opening([...four, ...shown]), [...four, ...shown.slice(1)])
      assert.deepStrictEqual(yield* deeds, names.map((name) => `api-key.created api-keys/${name}`))
      assert.includeMembers((yield* KeyRing.list).map(({ name }) => name), names)
    }).pipe(Effect.provide(store)), 60_000)

  it.live("is not ended for anything but its whole name, and never the last one", () =>
    Effect.gen(function*() {
      yield* setUp
      const names = (yield* KeyRing.list).map(({ name }) => name)
      const [first = "", ...others] = names
      const strange = [
        "",
        "pk_prod_",
        first.slice(0, -1),
        `${first}0`,
        first.replace("pk_prod_", "dk_prod_"),
        `${secret}`
      ]
      for (const said of strange) {
        assert.propertyVal(yield* Effect.flip(KeyRing.end(said)), "_tag", "NoSuchKey", said)
      }
      assert.deepStrictEqual(yield* opening(four), four)
      yield* Effect.forEach(others, KeyRing.end)
      assert.propertyVal(yield* Effect.flip(KeyRing.end(first)), "_tag", "LastKey")
      assert.deepStrictEqual(yield* opening(four), four.slice(0, 1))
    }).pipe(Effect.provide(store)), 60_000)

  it.live(
    "replaced with all others, is one that went, and those that came are in the audit too",
    () =>
      Effect.gen(function*() {
        yield* setUp
        const before = (yield* KeyRing.list).map(({ name }) => name)
        yield* KeyRing.replacing(ApiKeys.use((keys) => keys.replace(undefined)))
        const after = (yield* KeyRing.list).map(({ name }) => name)
        assert.lengthOf([...new Set([...before, ...after])], 8)
        assert.sameMembers(yield* deeds, [
          ...before.map((name) => `api-key.deleted api-keys/${name}`),
          ...after.map((name) => `api-key.created api-keys/${name}`)
        ])
      }).pipe(Effect.provide(store)),
    60_000
  )
})
