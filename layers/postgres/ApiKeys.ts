import { type Environment, KeyState, Scope } from "#schemas/Scope.ts"
import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { ApiKeys, InvalidKey, type Principal } from "#src/access/ApiKeys.ts"
import { derive, SecretKey } from "#src/access/SecretKey.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Cache, Clock, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto"

const shape = /^[pd]k_(?:prod|test)_.{1,512}$/s

/** How long a key is cached. With the time of `KnownCallers`, a revoked key is refused everywhere after a minute. */
const remembered = Duration.seconds(30)
const capacity = 10_000

const secretBytes = 32

const Row = Schema.Struct({ digest: Schema.String, scope: Scope, state: KeyState })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const environments: Record<Environment, string> = { production: "prod", test: "test" }
const states: Record<KeyState, string> = { published: "pk", draft: "dk" }

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const pepper = createSecretKey(derive(yield* SecretKey, "api-keys/digest"))
  const patiently = yield* Patience.asking(Patience.callers)
  const digest = (key: string): string => createHmac("sha256", pepper).update(key).digest("hex")

  /** The whole key is digested, so a swapped prefix is another key. */
  const find = Effect.fnUntraced(function*(wanted: string) {
    const rows = yield* sql`select digest, scope, state from api_keys where digest = ${wanted}`.pipe(
      Effect.flatMap(decodeRows)
    )
    const row = Array.head(rows)
    if (Option.isNone(row) || !timingSafeEqual(Buffer.from(row.value.digest), Buffer.from(wanted))) {
      return yield* new InvalidKey()
    }
    return { scope: row.value.scope, keyState: row.value.state } satisfies Principal
  }, orUnavailable)

  // All callers of a key share its look-up, so that it is the look-up that must end in time. One that fails is not kept.
  const principals = yield* Cache.makeWith((wanted: string) => patiently(find(wanted)), {
    capacity,
    timeToLive: (exit) => Exit.isSuccess(exit) ? remembered : Duration.zero
  })

  const create = Effect.fnUntraced(
    function*(environment: Environment, state: KeyState, given: Redacted.Redacted | undefined) {
      const secret = given === undefined
        ? Buffer.from(yield* random.randomBytes(secretBytes)).toString("base64url")
        : Redacted.value(given)
      const key = `${states[state]}_${environments[environment]}_${secret}`
      const now = yield* Clock.currentTimeMillis
      yield* sql`insert into api_keys (digest, scope, state, created_at)
      select ${digest(key)}, id, ${state}, ${now}::bigint from scopes
      where workspace = 'default' and environment = ${environment}`
      return Redacted.make(key)
    }
  )

  const createFour = Effect.fnUntraced(function*(...[secret, show]: Parameters<ApiKeys["Service"]["replace"]>) {
    const made = {
      productionPublished: yield* create("production", "published", secret),
      productionDraft: yield* create("production", "draft", secret),
      testPublished: yield* create("test", "published", secret),
      testDraft: yield* create("test", "draft", secret)
    }
    if (show !== undefined) yield* show(made)
    return made
  })

  // Of two nodes that start at once, only one makes the keys.
  const alone = sql`lock table api_keys in share row exclusive mode`

  const bootstrap: ApiKeys["Service"]["bootstrap"] = Effect.fnUntraced(
    function*(secret, show) {
      yield* alone
      if ((yield* sql`select 1 from api_keys limit 1`).length > 0) return undefined
      return yield* createFour(secret, show)
    },
    sql.withTransaction,
    orUnavailable
  )

  const replace: ApiKeys["Service"]["replace"] = Effect.fnUntraced(
    function*(secret, show) {
      yield* alone
      yield* sql`delete from api_keys`
      return yield* createFour(secret, show)
    },
    sql.withTransaction,
    orUnavailable,
    Effect.tap(Cache.invalidateAll(principals))
  )

  return ApiKeys.of({
    authenticate: (key) => {
      const text = Redacted.value(key)
      return shape.test(text) ? Cache.get(principals, digest(text)) : Effect.fail(new InvalidKey())
    },
    bootstrap,
    replace
  })
})

export const layer = Layer.effect(ApiKeys, make)
