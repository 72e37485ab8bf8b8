import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { Scope } from "#schemas/Scope.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Cache, Clock, Context, Duration, Effect, Exit, Request, RequestResolver, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** For how many ns a revision that was read counts as current without asking again. */
const trusted = 1_000_000_000n

/** For how many ns after a change of its own this node asks every time: that change may commit until then. */
const unsettled = 10_000_000_000n

const capacity = 2_000

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ scope: Scope, revision: Schema.Number })))

class Look extends Request.Class<{ readonly scope: Scope }, number, StoreUnavailable> {}

/** Counts the changes of one kind of thing, and caches what is computed from it until the next change. */
export interface Revisions {
  /** Call it in the transaction of a change: first if the changes of a scope are to wait for each other, else last. */
  readonly bump: (scope: Scope) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Caches what `load` answered for a name, its typed refusals too, until the revision changes. A change takes effect
   * at once on this node, and within a second on others. Within a transaction nothing is cached.
   */
  readonly remembering: <A, E>(
    load: (scope: Scope, name: string) => Effect.Effect<A, E | StoreUnavailable>
  ) => (scope: Scope, name: string) => Effect.Effect<A, E | StoreUnavailable>
}

export const make = Effect.fnUntraced(function*(kind: string) {
  const sql = yield* SqlClient.SqlClient
  const patiently = yield* Patience.asking(Patience.callers)
  const checked = new Map<Scope, { readonly revision: number; readonly at: bigint }>()
  const changed = new Map<Scope, bigint>()

  const resolver = RequestResolver.make<Look>(Effect.fnUntraced(function*(entries) {
    const scopes = Array.dedupe(entries.map((entry) => entry.request.scope))
    const at = yield* Clock.monotonicTimeNanos
    const rows = yield* sql`select scope, revision::float8 as revision from revisions
      where kind = ${kind} and scope = any(${scopes}::int[])`.pipe(Effect.flatMap(decodeRows), orUnavailable)
    const found = new Map(rows.map((row) => [row.scope, row.revision]))
    for (const entry of entries) {
      const { scope } = entry.request
      const revision = found.get(scope) ?? 0
      checked.set(scope, { revision, at })
      entry.completeUnsafe(Exit.succeed(revision))
    }
  }))

  const current = Effect.fnUntraced(function*(scope: Scope) {
    const known = checked.get(scope)
    const now = yield* Clock.monotonicTimeNanos
    if (known === undefined || now - known.at > trusted || now < (changed.get(scope) ?? now)) {
      return yield* patiently(Effect.request(new Look({ scope }), resolver))
    }
    return known.revision
  })

  const bump: Revisions["bump"] = Effect.fnUntraced(function*(scope) {
    changed.set(scope, (yield* Clock.monotonicTimeNanos) + unsettled)
    yield* sql`insert into revisions (scope, kind, revision) values (${scope}, ${kind}, 1)
      on conflict (scope, kind) do update set revision = revisions.revision + 1`
  })

  const remembering: Revisions["remembering"] = <A, E>(
    load: (scope: Scope, name: string) => Effect.Effect<A, E | StoreUnavailable>
  ) => {
    const caches = new Map<
      Scope,
      { readonly revision: number; readonly cache: Cache.Cache<string, A, E | StoreUnavailable> }
    >()
    const at = Effect.fnUntraced(function*(scope: Scope, revision: number) {
      const cache = yield* Cache.makeWith((name: string) => patiently(load(scope, name)), { capacity, timeToLive })
      caches.set(scope, { revision, cache })
      return cache
    })
    return Effect.fnUntraced(function*(scope: Scope, name: string) {
      const transaction = Context.getOrUndefined(yield* Effect.context<never>(), sql.transactionService)
      if (transaction !== undefined) return yield* load(scope, name)
      const revision = yield* current(scope)
      const known = caches.get(scope)
      return yield* Cache.get(known?.revision === revision ? known.cache : yield* at(scope, revision), name)
    })
  }

  return { bump, remembering } satisfies Revisions
})

/** A refusal is cached like any other answer; that the store was unavailable is not. */
const timeToLive = <A, E>(exit: Exit.Exit<A, E | StoreUnavailable>): Duration.Duration => {
  if (Exit.isSuccess(exit)) return Duration.infinity
  const error = Exit.findError(exit)
  return Result.isFailure(error) || error.success instanceof StoreUnavailable ? Duration.zero : Duration.infinity
}
