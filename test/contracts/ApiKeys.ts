import { ApiKeys, type BootstrapKeys, KeysUnseen } from "#src/access/ApiKeys.ts"
import { longestSecret } from "#src/access/KeyText.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"

const secret = "contract-secret_~.é"

/** The keys that a first start gave, and what the later ones did. */
class Opened extends Context.Service<Opened, {
  /** How a first start ended that could not show what it made. */
  readonly unseen: KeysUnseen["_tag"] | StoreUnavailable["_tag"]
  readonly answers: ReadonlyArray<BootstrapKeys | undefined>
}>()("tidings/test/Opened") {}

const opened = Layer.effect(
  Opened,
  Effect.gen(function*() {
    const keys = yield* ApiKeys
    const given = Redacted.make(secret)
    const unseen = yield* Effect.flip(
      keys.bootstrap(Redacted.make("nobody-saw-these"), () => Effect.fail(new KeysUnseen({ cause: "closed" })))
    )
    const answers = yield* Effect.all([keys.bootstrap(given), keys.bootstrap(given), keys.bootstrap(given)], {
      concurrency: "unbounded"
    })
    return {
      unseen: unseen._tag,
      answers: [...answers, yield* keys.bootstrap(Redacted.make("another")), yield* keys.bootstrap(undefined)]
    }
  })
)

const authenticate = (key: string) => ApiKeys.use((keys) => keys.authenticate(Redacted.make(key)))

const four = ["pk_prod_", "dk_prod_", "pk_test_", "dk_test_"].map((prefix) => prefix + secret)

/** What every store of API keys promises. `stores` holds no keys yet; scope 1 is production, 2 is test. */
export const apiKeysContract = <E>(name: string, stores: Layer.Layer<ApiKeys, E>) =>
  layer(opened.pipe(Layer.provideMerge(stores)))(`ApiKeys: ${name}`, (it) => {
    it.effect("keys that could not be shown are none: the next start makes and shows its own", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Opened).unseen, "KeysUnseen")
        assert.strictEqual((yield* Effect.flip(authenticate("pk_prod_nobody-saw-these")))._tag, "InvalidKey")
      }))

    it.effect("the four keys are made once, whoever starts at once or later", () =>
      Effect.gen(function*() {
        const made = (yield* Opened).answers.filter((answer) => answer !== undefined)
        assert.lengthOf(made, 1)
        assert.deepStrictEqual(
          made.map((keys) =>
            [keys.productionPublished, keys.productionDraft, keys.testPublished, keys.testDraft].map(Redacted.value)
          ),
          [four]
        )
      }))

    it.effect("each key opens its environment in its state", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual<ReadonlyArray<unknown>>(yield* Effect.forEach(four, authenticate), [
          { scope: 1, keyState: "published" },
          { scope: 1, keyState: "draft" },
          { scope: 2, keyState: "published" },
          { scope: 2, keyState: "draft" }
        ])
      }))

    it.effect("a key that differs in any character, or is longer, shorter or another's, opens nothing", () =>
      Effect.gen(function*() {
        const [key = ""] = four
        const wrong = [
          ...Array.from(key, (_, n) => `${key.slice(0, n)}\u007f${key.slice(n + 1)}`),
          ...Array.from(key, (_, n) => key.slice(0, n)),
          `${key}x`,
          ` ${key}`,
          `${key}\n`,
          `${key}\u0000`,
          key.toUpperCase(),
          key.normalize("NFD"),
          `sk_prod_${secret}`,
          `pk_live_${secret}`,
          secret,
          "pk_prod_another",
          "pk_prod_",
          "\ud800",
          "pk_prod_' or '1'='1",
          `pk_prod_${"x".repeat(100_000)}`
        ]
        yield* Effect.forEach(
          wrong,
          (guess) =>
            Effect.map(Effect.flip(authenticate(guess)), (error) => assert.strictEqual(error._tag, "InvalidKey", guess))
        )
      }))

    it.effect.prop("no other text opens anything", {
      guess: Schema.String,
      prefix: Schema.Literals(["", "pk_prod_", "dk_test_"])
    }, (
      { guess, prefix }
    ) => Effect.map(Effect.flip(authenticate(prefix + guess)), (error) => assert.strictEqual(error._tag, "InvalidKey")))

    it.effect("keys that are replaced open nothing, at once; as long as the new ones are not shown, they stay", () =>
      Effect.gen(function*() {
        const keys = yield* ApiKeys
        yield* Effect.forEach(four, authenticate)
        const unseen = yield* Effect.flip(
          keys.replace(Redacted.make("nobody-saw-these"), () => Effect.fail(new KeysUnseen({ cause: "closed" })))
        )
        assert.strictEqual(unseen._tag, "KeysUnseen")
        assert.strictEqual((yield* Effect.flip(authenticate("pk_prod_nobody-saw-these")))._tag, "InvalidKey")
        yield* Effect.forEach(four, authenticate)
        const made = yield* keys.replace(Redacted.make("new"))
        assert.deepStrictEqual<ReadonlyArray<unknown>>(
          yield* Effect.forEach(
            [made.productionPublished, made.productionDraft, made.testPublished, made.testDraft],
            keys.authenticate
          ),
          [
            { scope: 1, keyState: "published" },
            { scope: 1, keyState: "draft" },
            { scope: 2, keyState: "published" },
            { scope: 2, keyState: "draft" }
          ]
        )
        for (const old of four) assert.strictEqual((yield* Effect.flip(authenticate(old)))._tag, "InvalidKey", old)
        assert.isUndefined(yield* keys.bootstrap(undefined))
      }))

    it.effect("four that nobody has chosen have a secret of 32 bytes each", () =>
      Effect.gen(function*() {
        const keys: BootstrapKeys = yield* ApiKeys.use((keys) => keys.replace(undefined))
        const made = Object.values<Redacted.Redacted>({ ...keys }).map((key) => Redacted.value(key))
        assert.deepStrictEqual(made.map((key) => key.slice(0, 8)), four.map((key) => key.slice(0, 8)))
        for (const key of made) assert.match(key.slice(8), /^[\w-]{43}$/)
        assert.strictEqual(new Set(made.map((key) => key.slice(8))).size, 4)
      }))

    it.effect("the longest secret part that an operator may choose opens its four", () =>
      Effect.gen(function*() {
        const keys = yield* ApiKeys
        const made = yield* keys.replace(Redacted.make("x".repeat(longestSecret)))
        for (const key of Object.values(made)) yield* keys.authenticate(key)
      }))
  })
