import { type Environment, KeyState, Scope } from "#schemas/Scope.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { ApiKeys, InvalidKey, type Principal } from "#src/access/ApiKeys.ts"
import * as KeyText from "#src/access/KeyText.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Cache, Clock, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { timingSafeEqual } from "node:crypto"

const shape = new RegExp(`^[pd]k_(?:prod|test)_.{1,${KeyText.longestSecret}}$`, "s")

/** How long a key is cached. With the time of `KnownCallers`, a revoked key is refused everywhere after a minute. */
const remembered = Duration.toNanosUnsafe("30 seconds")
const capacity = 10_000

const secretBytes = 32

const Row = Schema.Struct({ digest: Schema.String, scope: Scope, state: KeyState })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

/** Makes an effect that stores a key: a random one unless its secret part is given. */
export const creating = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* KeyText.digesting

  return Effect.fnUntraced(function*(environment: Environment, state: KeyState, given: Redacted.Redacted | undefined) {
    const secret = given === undefined
      ? Buffer.from(yield* random.randomBytes(secretBytes)).toString("base64url")
      : Redacted.value(given)
    const key = KeyText.prefixOf(environment, state) + secret
    const now = yield* Clock.currentTimeMillis
    yield* sql`insert into api_keys (digest, scope, state, created_at)
      select ${digest(key)}, id, ${state}, ${now}::bigint from scopes
      where workspace = 'default' and environment = ${environment}`
    return Redacted.make(key)
  })
})

/** In a transaction: of all who change which keys there are, such as two nodes that start at once, one at a time. */
export const alone = (sql: SqlClient.SqlClient) => sql`lock table api_keys in share row exclusive mode`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const digest = yield* KeyText.digesting
  const create = yield* creating
  const patiently = yield* Patience.asking(Patience.callers)

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

  /**
   * All callers of a key share its look-up, so that it is the look-up that must end in time. One that fails is not kept.
   * A key is kept by monotonic time: a clock that is set back would keep a revoked one alive.
   */
  const principals = yield* Cache.makeWith(
    Effect.fnUntraced(function*(wanted: string) {
      const until = (yield* Clock.monotonicTimeNanos) + remembered
      return { principal: yield* patiently(find(wanted)), until }
    }),
    { capacity, timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.infinity : Duration.zero }
  )

  const authenticate = Effect.fnUntraced(function*(wanted: string) {
    const known = yield* Cache.get(principals, wanted)
    if ((yield* Clock.monotonicTimeNanos) < known.until) return known.principal
    yield* Cache.invalidateWhen(principals, wanted, (one) => one === known)
    return (yield* Cache.get(principals, wanted)).principal
  })

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

  const bootstrap: ApiKeys["Service"]["bootstrap"] = Effect.fnUntraced(
    function*(secret, show) {
      yield* alone(sql)
      if ((yield* sql`select 1 from api_keys limit 1`).length > 0) return undefined
      return yield* createFour(secret, show)
    },
    sql.withTransaction,
    orUnavailable
  )

  const replace: ApiKeys["Service"]["replace"] = Effect.fnUntraced(
    function*(secret, show) {
      yield* alone(sql)
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
      return shape.test(text) ? authenticate(digest(text)) : Effect.fail(new InvalidKey())
    },
    bootstrap,
    replace
  })
})

export const layer = Layer.effect(ApiKeys, make)
