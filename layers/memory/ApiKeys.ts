import { Database } from "#layers/memory/Database.ts"
import { type KeyState, Scope } from "#schemas/Scope.ts"
import { ApiKeys, type BootstrapKeys, InvalidKey } from "#src/access/ApiKeys.ts"
import * as KeyText from "#src/access/KeyText.ts"
import { Effect, HashMap, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const secretBytes = 32
const production = Scope.make(1)
const test = Scope.make(2)

/** The API keys in memory, as digests too, so that a look-up takes the same time for every guess. */
export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function*() {
    const { modify, read, update } = yield* Database
    const { randomBytes } = yield* SecureRandom.SecureRandom
    const digestOf = yield* KeyText.digesting
    const digest = (key: Redacted.Redacted) => digestOf(Redacted.value(key))

    /** A key and what it opens. */
    const make = (prefix: string, scope: Scope, keyState: KeyState, secret: Redacted.Redacted | undefined) =>
      Effect.map(
        secret === undefined ? Effect.map(randomBytes(secretBytes), base64url) : Effect.succeed(Redacted.value(secret)),
        (text) => ({ key: Redacted.make(prefix + text), principal: { scope, keyState } })
      )

    const forget = update((state) => ({ ...state, apiKeys: HashMap.empty() }))

    const makeFour = Effect.fnUntraced(function*(secret: Redacted.Redacted | undefined) {
      const made = yield* Effect.all({
        productionPublished: make("pk_prod_", production, "published", secret),
        productionDraft: make("dk_prod_", production, "draft", secret),
        testPublished: make("pk_test_", test, "published", secret),
        testDraft: make("dk_test_", test, "draft", secret)
      })
      const entries = Object.values(made).map(({ key, principal }) => [digest(key), principal] as const)
      const keys: BootstrapKeys = {
        productionPublished: made.productionPublished.key,
        productionDraft: made.productionDraft.key,
        testPublished: made.testPublished.key,
        testDraft: made.testDraft.key
      }
      return { keys, apiKeys: HashMap.fromIterable(entries) }
    })

    const bootstrap: ApiKeys["Service"]["bootstrap"] = Effect.fnUntraced(function*(secret, show) {
      const { apiKeys, keys } = yield* makeFour(secret)
      const stored = yield* modify((state) =>
        HashMap.isEmpty(state.apiKeys) ? [true, { ...state, apiKeys }] : [false, state]
      )
      if (!stored) return undefined
      if (show !== undefined) yield* Effect.tapError(show(keys), () => forget)
      return keys
    })

    const replace: ApiKeys["Service"]["replace"] = Effect.fnUntraced(function*(secret, show) {
      const { apiKeys, keys } = yield* makeFour(secret)
      if (show !== undefined) yield* show(keys)
      yield* update((state) => ({ ...state, apiKeys }))
      return keys
    })

    return ApiKeys.of({
      authenticate: Effect.fnUntraced(function*(key) {
        const principal = yield* read((state) => HashMap.get(state.apiKeys, digest(key)))
        return Option.isSome(principal) ? principal.value : yield* new InvalidKey()
      }),
      bootstrap,
      replace
    })
  })
)

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")
