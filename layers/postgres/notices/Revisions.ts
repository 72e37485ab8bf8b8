import * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import { Invalidations, noticeOf } from "#layers/postgres/notices/Invalidations.ts"
import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Size from "#src/delivery/journal/Size.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Cache, Clock, Context, Duration, Effect, Exit, Request, RequestResolver, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** For how many ns a revision that was read counts as current, and for how many of them nobody asks anew. */
const trusted = 1_000_000_000n
const fresh = 500_000_000n

/**
 * For how many ns after a change by this node it asks every time, unless it sees the change before: some take a minute
 * until they commit (`LongWork`), and others are rolled back.
 */
const unsettled = 120_000_000_000n

const capacity = 2_000

/**
 * Characters of all that is remembered of one `load`, about, with its names, of which some are a caller's own and lead
 * nowhere. With more it begins anew: 2,000 templates of tenants, each with a mail of its own, would hold gigabytes.
 */
const mostHeld = 32 * 1024 * 1024

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ scope: Scope, revision: Schema.Number })))
const decodeMade = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ revision: Schema.Number })]))

class Look extends Request.Class<{ readonly scope: Scope }, number, StoreUnavailable> {}

/** Counts the changes of one kind of thing, and caches what is computed from it until the next change. */
export interface Revisions {
  /** Call it in the transaction of a change: first if the changes of a scope are to wait for each other, else last. */
  readonly bump: (scope: Scope) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Caches what `load` answered for a name, its typed refusals too, until the revision changes. A change takes effect
   * at once on this node, in its workers too, and on others once they hear of it (`Wakeups`), within a second at the
   * latest: whoever asks all the time does not wait for the revision, which is asked for beside, twice a second. Within a
   * transaction nothing is cached.
   * `sizeOf` answers about how many characters an answer holds, if that is not to be seen by it.
   */
  readonly remembering: <A, E>(
    load: (scope: Scope, name: string) => Effect.Effect<A, E | StoreUnavailable>,
    sizeOf?: (answer: A) => number
  ) => (scope: Scope, name: string) => Effect.Effect<A, E | StoreUnavailable>
}

export const make = Effect.fnUntraced(function*(kind: string) {
  const sql = yield* SqlClient.SqlClient
  const patiently = yield* Patience.asking(Patience.callers)
  const checked = new Map<Scope, { readonly revision: number; readonly at: bigint }>()
  /** The changes by this node that it has not seen yet, and until when it looks for them. */
  const changed = new Map<Scope, { readonly revision: number; readonly until: bigint }>()
  const looking = new Set<Scope>()
  /** How many changes by other nodes were heard of: what was being read meanwhile may be older. */
  let heard = 0
  const fork = yield* Fibers.make
  const invalidations = yield* Invalidations
  yield* invalidations.hear((invalidation) =>
    Effect.map(Clock.monotonicTimeNanos, (now) => {
      const { revision, scope } = invalidation
      if (invalidation.kind !== kind) return
      if (revision !== undefined) return void changed.set(scope, { revision, until: now + unsettled })
      heard++
      checked.delete(scope)
    })
  )

  const resolver = RequestResolver.make<Look>(Effect.fnUntraced(function*(entries) {
    const scopes = Array.dedupe(entries.map((entry) => entry.request.scope))
    const at = yield* Clock.monotonicTimeNanos
    const before = heard
    const rows = yield* sql`select scope, revision::float8 as revision from revisions
      where kind = ${kind} and scope = any(${scopes}::int[])`.pipe(Effect.flatMap(decodeRows), orUnavailable)
    const found = new Map(rows.map((row) => [row.scope, row.revision]))
    for (const entry of entries) {
      const { scope } = entry.request
      const revision = found.get(scope) ?? 0
      const known = checked.get(scope)
      // One that was asked later may have been answered before.
      if (before === heard && (known === undefined || known.at <= at)) checked.set(scope, { revision, at })
      entry.completeUnsafe(Exit.succeed(revision))
    }
  }))

  const look = (scope: Scope) => patiently(Effect.request(new Look({ scope }), resolver))

  /** One that is not answered leaves it to the next, or to those who then wait. */
  const lookBeside = (scope: Scope): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      if (looking.has(scope)) return Effect.void
      looking.add(scope)
      return fork(Effect.ensuring(Effect.ignore(look(scope)), Effect.sync(() => looking.delete(scope))))
    })

  /** Whether a change by this node may be there that this revision does not know of. */
  const isBehind = (scope: Scope, revision: number, now: bigint): boolean => {
    const change = changed.get(scope)
    if (change === undefined) return false
    if (revision < change.revision && now < change.until) return true
    changed.delete(scope)
    return false
  }

  /** The revision if it counts as current, with its age in ns. */
  const trustedAt = (scope: Scope, now: bigint): { readonly revision: number; readonly age: bigint } | undefined => {
    const known = checked.get(scope)
    if (known === undefined || now - known.at > trusted || isBehind(scope, known.revision, now)) return undefined
    return { revision: known.revision, age: now - known.at }
  }

  const current = (scope: Scope, now: bigint): Effect.Effect<number, StoreUnavailable> => {
    const known = trustedAt(scope, now)
    if (known === undefined) return look(scope)
    return known.age > fresh
      ? Effect.as(lookBeside(scope), known.revision)
      : Effect.succeed(known.revision)
  }

  /**
   * A revision is a time: a database that lost its last changes, as one does that was promoted before it had all, would
   * count to the same number again, and what was remembered of the lost change would stay for good.
   */
  const bump: Revisions["bump"] = Effect.fnUntraced(function*(scope) {
    const [{ revision }] = yield* sql`insert into revisions (scope, kind, revision)
      values (${scope}, ${kind}, greatest(1, ${yield* Clock.currentTimeMillis}::bigint))
      on conflict (scope, kind) do update set revision = greatest(revisions.revision + 1, excluded.revision)
      returning revision::float8 as revision, pg_notify(${DueNotice.channel}, ${noticeOf({ kind, scope })})::text`.pipe(
      Effect.flatMap((rows) => Effect.orDie(decodeMade(rows)))
    )
    yield* invalidations.tell({ kind, scope, revision })
  })

  const remembering: Revisions["remembering"] = <A, E>(
    load: (scope: Scope, name: string) => Effect.Effect<A, E | StoreUnavailable>,
    sizeOf: (answer: A) => number = Size.of
  ) => {
    interface Known {
      readonly revision: number
      readonly cache: Cache.Cache<string, A, E | StoreUnavailable>
      /** The last answer. It saves the cache from putting its key behind all others, for those who ask for one name. */
      last: { readonly name: string; readonly found: A } | undefined
      held: number
    }
    const caches = new Map<Scope, Known>()
    let held = 0
    const forget = (scope: Scope) => {
      held -= caches.get(scope)?.held ?? 0
      caches.delete(scope)
    }
    const hold = (known: Known, scope: Scope, size: number) => {
      // Another change came meanwhile: what it found is forgotten with it.
      if (caches.get(scope) !== known) return
      known.held += size
      held += size
      if (held <= mostHeld) return
      caches.clear()
      held = 0
    }
    const at = Effect.fnUntraced(function*(scope: Scope, revision: number) {
      const loaded = (name: string): Effect.Effect<A, E | StoreUnavailable> =>
        Effect.onExit(patiently(load(scope, name)), (exit) =>
          Effect.sync(() => {
            if (isKept(exit)) hold(known, scope, name.length + (Exit.isSuccess(exit) ? sizeOf(exit.value) : 0))
          }))
      const cache = yield* Cache.makeWith(loaded, { capacity, timeToLive })
      const known: Known = { revision, cache, last: undefined, held: 0 }
      forget(scope)
      caches.set(scope, known)
      return known
    })
    const within = (known: Known, name: string): Effect.Effect<A, E | StoreUnavailable> =>
      known.last?.name === name ?
        Effect.succeed(known.last.found) :
        Effect.map(Cache.get(known.cache, name), (found) => {
          known.last = { name, found }
          return found
        })
    const cached = (scope: Scope, name: string, now: bigint) =>
      Effect.flatMap(current(scope, now), (revision) => {
        const known = caches.get(scope)
        return known?.revision === revision
          ? within(known, name)
          : Effect.flatMap(at(scope, revision), (fresh) => within(fresh, name))
      })
    /** The last answer, if it is the one that is asked for and nobody has to ask for its revision. */
    const lastOf = (scope: Scope, name: string, now: bigint) => {
      const known = caches.get(scope)
      if (known?.last?.name !== name) return undefined
      const current = trustedAt(scope, now)
      return current?.revision === known.revision && current.age <= fresh ? known.last : undefined
    }
    // In one step where it can: each message asks for several things.
    return (scope, name) =>
      Effect.withFiber((fiber) => {
        if (Context.getOrUndefined(fiber.context, sql.transactionService) !== undefined) return load(scope, name)
        const now = fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()
        const last = lastOf(scope, name, now)
        return last === undefined ? cached(scope, name, now) : Effect.succeed(last.found)
      })
  }

  return { bump, remembering } satisfies Revisions
})

/** A refusal is cached like any other answer; that the store was unavailable is not. */
const isKept = <A, E>(exit: Exit.Exit<A, E | StoreUnavailable>): boolean => {
  if (Exit.isSuccess(exit)) return true
  const error = Exit.findError(exit)
  return Result.isSuccess(error) && !(error.success instanceof StoreUnavailable)
}

const timeToLive = <A, E>(exit: Exit.Exit<A, E | StoreUnavailable>): Duration.Duration =>
  isKept(exit) ? Duration.infinity : Duration.zero
