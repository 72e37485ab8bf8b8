import { Layouts } from "#src/content/Layouts.ts"
import { Mjml } from "#src/content/Mjml.ts"
import * as Rendering from "#src/content/Rendering.ts"
import { Templates } from "#src/content/Templates.ts"
import { Translations } from "#src/content/Translations.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import type { NewExpansion } from "#src/delivery/Expansion.ts"
import { type Advance, Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import { Journal, type NewMessage, type Step } from "#src/delivery/Journal.ts"
import * as Pipeline from "#src/delivery/Pipeline.ts"
import type { Delivery, Vendor } from "#src/delivery/Provider.ts"
import * as Shards from "#src/delivery/Shards.ts"
import { SendCounts } from "#src/flows/SendCounts.ts"
import { SendLimits } from "#src/flows/SendLimits.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { Members } from "#src/people/Members.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Fake from "#test/support/Fake.ts"
import * as NoTenants from "#test/support/NoTenants.ts"
import { TenantPreferences } from "#src/people/TenantPreferences.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Clock, Context, Effect, Fiber, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"

/** What one node needs of its store; it is built anew for each node, over what the nodes share. */
export type NodeStores<S> = Layer.Layer<Expansions | Journal | Profiles, never, Handover.Handover | S>

/** Whether the node dies at this step: before it reaches the store, or when it was written and nobody was told. */
export type Cut = (step: Step) => "before" | "after" | undefined

/** A node's engine. A dead one is there still, but nothing it does reaches anything: what kill -9 leaves. */
export interface EngineNode {
  readonly accept: (message: NewMessage) => Effect.Effect<void>
  readonly expand: (expansion: NewExpansion) => Effect.Effect<void>
  readonly wake: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  /** Hands a shard over, as the cluster has it: ends once another node may take it. */
  readonly handOver: (shard: number) => Effect.Effect<void>
  readonly isDead: () => boolean
  readonly die: () => void
}

export interface NodeOptions {
  readonly shards: ReadonlyArray<number>
  /** The outside world; `die` is the node's end in the middle of a call. */
  readonly vendors: (die: () => void) => ReadonlyArray<Vendor>
  readonly cut?: Cut
  /** The same for the steps of expansions. */
  readonly cutPage?: (step: Advance) => ReturnType<Cut>
  /** The groups that expansions read. */
  readonly members?: Members["Service"]
  /** Addresses that are sent to no more; none by default. */
  readonly suppressions?: Layer.Layer<Suppressions>
  /** How many turns of the event loop an answer of the store takes; none by default. */
  readonly lag?: () => number
}

const nothingSuppressed = Layer.mock(Suppressions, { reason: () => Effect.undefined })

const nobody = Members.of({ page: () => Effect.succeed([]), exists: () => Effect.succeed(true) })

/** Nodes over one store in virtual time: time moves only while nobody is at work. */
export interface Cluster {
  readonly start: (options: NodeOptions) => Effect.Effect<EngineNode, never, Scope.Scope>
  /** Waits, in real time, until every node waits for the clock or for a provider. */
  readonly settle: Effect.Effect<void>
  /** Requests to many, as an observer of the store sees them. */
  readonly expansions: Effect.Effect<Expansions["Service"]>
  /** Rows that are due, and the epoch ms of the next one that will be. */
  readonly due: (
    shards: ReadonlyArray<number>
  ) => Effect.Effect<{ readonly open: number; readonly next: number | undefined }>
  /** Lets time go on to each next row that will be due, until none will be: 20 times at most. */
  readonly finish: (shards: ReadonlyArray<number>) => Effect.Effect<void>
}

/** A place of one story's own, at its second of the calendar, to which the virtual clock is set; a clock that is later already stays. */
export const place = Effect.gen(function*() {
  const world = yield* Fixture.world
  const at = Math.max(world.at, yield* Clock.currentTimeMillis)
  yield* TestClock.setTime(at)
  return { ...world, at }
})

export const make = Effect.fnUntraced(function*<S>(stores: NodeStores<S>) {
  const shared = yield* Effect.context<S>()
  let busy = 0

  const open = Layer.fresh(stores.pipe(Layer.provideMerge(Handover.layer))).pipe(
    Layer.provide(Layer.succeedContext(shared))
  )
  const counted = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      busy++
      return effect.pipe(Effect.onExit(() =>
        Effect.sync(() => {
          busy--
        })
      ))
    })

  const settle = Effect.promise(async () => {
    for (let quiet = 0; quiet < 8; quiet = busy === 0 ? quiet + 1 : 0) await setImmediate()
  })

  const late = (turns: number): Effect.Effect<void> =>
    turns === 0 ? Effect.void : Effect.promise(async () => {
      for (let turn = 0; turn < turns; turn++) await setImmediate()
    })

  const start = Effect.fnUntraced(
    function*(
      { cut, cutPage, lag = () => 0, members = nobody, shards, suppressions = nothingSuppressed, vendors }: NodeOptions
    ) {
      let dead = false
      const die = () => {
        dead = true
      }
      const scope = yield* Scope.make()
      // A drain may wait for a call that never ends, in a time that no longer passes: nobody waits for it.
      yield* Effect.addFinalizer((exit) =>
        Effect.andThen(Effect.sync(die), Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true }))
      )
      /** Dead men neither ask nor hear the answer. */
      const alive = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() =>
          dead
            ? Effect.never
            : counted(Effect.tap(effect, () => late(lag()))).pipe(Effect.tap(() => dead ? Effect.never : Effect.void))
        )

      const base = yield* Layer.build(open).pipe(Scope.provide(scope))
      const journal = Context.get(base, Journal)
      const profiles = Context.get(base, Profiles)
      const expansions = Context.get(base, Expansions)
      const guarded = Layer.mergeAll(
        Layer.succeed(Handover.Handover, Context.get(base, Handover.Handover)),
        // These messages carry their content.
        Layer.mock(Templates, {}),
        NoTenants.layer,
        Layer.mock(Strategies, {}),
        Layer.mock(Layouts, {}),
        Layer.mock(Mjml, {}),
        Layer.mock(Translations, {}),
        Layer.mock(DeviceTokens, {}),
        suppressions,
        Layer.mock(SendLimits, { installed: () => Effect.succeed([]) }),
        Layer.mock(SendCounts, {}),
        Layer.mock(PreferenceCatalogue, { resolve: () => Effect.succeed(Option.none()) }),
        Layer.mock(UserPreferences, {}),
        Layer.mock(ListPreferences, {}),
        Layer.mock(TenantPreferences, {}),
        Layer.succeed(Members, members),
        Layer.mock(Jobs, {}),
        Layer.succeed(Expansions, {
          open: (...args) => alive(expansions.open(...args)),
          isBacklogged: (...args) => alive(expansions.isBacklogged(...args)),
          find: expansions.find,
          resume: expansions.resume,
          advance: (step) =>
            Effect.suspend(() => {
              const where = dead ? undefined : cutPage?.(step)
              if (where === "before") die()
              return alive(
                where === "after"
                  ? Effect.tap(expansions.advance(step), () => Effect.sync(die))
                  : expansions.advance(step)
              )
            })
        }),
        Layer.succeed(Profiles, { ...profiles, person: (...args) => alive(profiles.person(...args)) }),
        Layer.succeed(Journal, {
          accept: (acceptance) => alive(journal.accept(acceptance)),
          observe: (observed) => alive(journal.observe(observed)),
          observeAll: (events) => alive(journal.observeAll(events)),
          take: (...args) => alive(journal.take(...args)),
          due: (window) => alive(journal.due(window)),
          record: (step) =>
            Effect.suspend(() => {
              const where = dead ? undefined : cut?.(step)
              if (where === "before") die()
              return alive(
                where === "after" ? Effect.tap(journal.record(step), () => Effect.sync(die)) : journal.record(step)
              )
            })
        })
      )
      const outside = vendors(die).map((vendor): Vendor => ({
        ...vendor,
        get version() {
          return vendor.version
        },
        send: (delivery: Delivery) =>
          Effect.suspend(() =>
            dead ? Effect.never : Effect.tap(vendor.send(delivery), () => dead ? Effect.never : Effect.void)
          )
      }))
      const engine = yield* Layer.build(Layer.fresh(
        Shards.layer.pipe(
          Layer.provide(Pipeline.layer),
          Layer.provide(FirstSteps.layer),
          Layer.provide(Rendering.layer),
          Layer.provide([guarded, Fake.layer(outside)])
        )
      )).pipe(Scope.provide(scope))
      const owner = Context.get(engine, Shards.Shards)
      const owning = new Map<number, Fiber.Fiber<never>>()
      for (const shard of shards) owning.set(shard, yield* Effect.forkIn(owner.own(shard, "node"), scope))
      return {
        accept: (message) =>
          Effect.gen(function*() {
            const at = yield* Clock.currentTimeMillis
            const { scope, shard } = message
            // Not `alive`: who sends is told of the commit even if the node dies of what it hands over.
            yield* counted(
              Effect.tap(journal.accept(Fixture.acceptance({ scope, shard, at }, [message])), () => late(lag()))
            ).pipe(
              Effect.orDie
            )
          }),
        expand: (expansion) =>
          Effect.gen(function*() {
            const at = yield* Clock.currentTimeMillis
            yield* counted(journal.accept({ ...Fixture.acceptance({ ...expansion, at }, []), expansion })).pipe(
              Effect.orDie
            )
          }),
        wake: owner.wake,
        stop: owner.stop,
        handOver: (shard) => {
          const fiber = owning.get(shard)
          return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
        },
        isDead: () => dead,
        die
      } satisfies EngineNode
    }
  )

  const seen = yield* Layer.build(open)
  const observer = Context.get(seen, Journal)
  const due: Cluster["due"] = Effect.fnUntraced(function*(shards) {
    const now = yield* Clock.currentTimeMillis
    const { next, rows } = yield* counted(observer.due({
      shards: shards.map((shard) => ({ shard, takenAtSeq: 0 })),
      now,
      held: [],
      fullMailboxes: [],
      fullTurns: [],
      limit: 1_000,
      bytes: 1_000_000
    })).pipe(Effect.orDie)
    return { open: rows.length, next }
  })
  const finish = Effect.fnUntraced(function*(shards: ReadonlyArray<number>) {
    for (let turn = 0; turn < 20; turn++) {
      yield* settle
      const { next } = yield* due(shards)
      if (next === undefined) return
      yield* TestClock.setTime(next)
    }
  })
  return {
    start,
    settle,
    expansions: Effect.succeed(Context.get(seen, Expansions)),
    due,
    finish
  } satisfies Cluster
})
