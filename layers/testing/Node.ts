import * as MemoryJournal from "#layers/memory/Journal.ts"
import * as Asked from "#layers/testing/Asked.ts"
import type { LogLine } from "#layers/testing/History.ts"
import type { Process } from "#layers/testing/Loop.ts"
import * as Reads from "#layers/testing/Reads.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import type { Store } from "#layers/testing/Store.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Scope as Environment } from "#schemas/Scope.ts"
import * as Layouts from "#src/content/Layouts.ts"
import * as Rendering from "#src/content/Rendering.ts"
import * as RunJob from "#src/delivery/bulk/Run.ts"
import * as Cancel from "#src/delivery/Cancel.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import * as Handover from "#src/delivery/journal/Handover.ts"
import * as Intake from "#src/delivery/Intake.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Pipeline from "#src/delivery/Pipeline.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Telling } from "#src/reports/webhooks/Telling.ts"
import { ShardCount } from "#src/delivery/shards/ShardCount.ts"
import * as Shards from "#src/delivery/Shards.ts"
import * as Paging from "#src/delivery/expansion/Paging.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import * as Callbacks from "#src/reports/Callbacks.ts"
import * as Receipts from "#src/reports/Receipts.ts"
import * as Tracking from "#src/reports/Tracking.ts"
import { Cause, Context, Effect, Exit, Fiber, Inspectable, Layer, Logger, References as Ambient, Scope } from "effect"

/** A node's own journal and handover, over the shared database. */
const journal = MemoryJournal.layer.pipe(Layer.provideMerge(Handover.layer))

/** The engine as `layers/Engine.ts` wires it, without its edge. */
const engine = Layer.merge(Intake.layer, Receipts.layer).pipe(
  Layer.provideMerge(Shards.layer.pipe(Layer.provideMerge(Pipeline.layer), Layer.provide(FirstSteps.layer))),
  Layer.provide(Rendering.layer.pipe(Layer.provide(Layouts.layer)))
)

/** So small that even a request to a handful has several pages, and faults can fall between them. */
const pageSize = 2

/** A running node: a process with an engine in it. */
export interface Node {
  readonly process: Process
  readonly intake: Intake.Intake["Service"]
  readonly cancel: Effect.Success<typeof Cancel.make>
  readonly runJob: Effect.Success<typeof RunJob.make>
  /** Takes what a provider's callback says, once it is known to be genuine. */
  readonly told: ReturnType<typeof Callbacks.applying>
  /** A recipient's app or mail client asks for the picture that tells that the message was opened. */
  readonly opened: (scope: Environment, id: MessageId) => Effect.Effect<void, StoreUnavailable>
  readonly shards: Shards.Shards["Service"]
  /** There may be something to tell to listeners. */
  readonly tell: Effect.Effect<void>
  /** Makes the node own a shard until `disown`, whose `done` is called once it has let it go. */
  readonly own: (shard: number) => void
  readonly disown: (shard: number, done: () => void) => void
  readonly owned: ReadonlyMap<number, unknown>
  /** Stops the node in order, as `layers/Server.ts` does: it begins nothing more, and finishes what it has in hand. */
  readonly stop: (done: () => void) => void
  readonly isStopping: () => boolean
}

const text = (value: unknown): string => typeof value === "string" ? value : Inspectable.toStringUnknown(value, 0)

/** Starts a node; `ready` is called when it can take requests. */
export const start = (options: {
  readonly process: Process
  readonly shared: Context.Context<Shared>
  readonly store: Store
  /** Brings the members of audiences up to date. */
  readonly upkeep: Effect.Effect<unknown, StoreUnavailable>
  readonly providers: (scope: Environment) => ReadonlyArray<Provider>
  /** What tells listeners, if there are any. */
  readonly telling: Layer.Layer<Telling> | undefined
  readonly shardCount: number
  /** Whether the world has no other node. */
  readonly alone: boolean
  readonly logs: Array<LogLine>
  readonly ready: (node: Node) => void
}) => {
  const { process, store } = options
  const logger = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
    const annotations = fiber.getRef(Ambient.CurrentLogAnnotations)
    options.logs.push({
      node: process.name,
      level: logLevel,
      text: [text(message), text(annotations), cause.reasons.length === 0 ? "" : Cause.pretty(cause)].join(" ")
    })
  })

  const guarded = Layer.effectContext(Effect.gen(function*() {
    const journal = yield* Journal
    const handover = yield* Handover.Handover
    const expansions = yield* Expansions
    return (yield* Reads.make(store, process, options.upkeep)).pipe(
      Context.add(Journal, store.journalOf(process, journal, handover)),
      Context.add(Expansions, Asked.expansions(store, process, expansions, handover)),
      Context.add(Providers, { configured: (scope) => Effect.sync(() => options.providers(scope)) })
    )
  }))

  const whole = Layer.fresh(
    engine.pipe(
      Layer.provideMerge(guarded),
      Layer.provide(journal),
      Layer.provide([Layer.succeed(ShardCount, options.shardCount), Layer.succeed(Paging.PageSize, pageSize)]),
      Layer.provide(Layer.succeedContext(options.shared)),
      Layer.provideMerge(Logger.layer([logger]))
    )
  )

  const telling = Effect.fnUntraced(function*(scope: Scope.Scope) {
    if (options.telling === undefined) return Effect.void
    const own = Layer.fresh(options.telling.pipe(Layer.provide(Logger.layer([logger]))))
    return Context.get(yield* Layer.buildWithScope(own, scope), Telling).wake
  })

  const born = Effect.gen(function*() {
    const scope = yield* Scope.make()
    const built = yield* Layer.build(whole).pipe(Scope.provide(scope))
    const shards = Context.get(built, Shards.Shards)
    yield* shards.alone(options.alone)
    const owned = new Map<number, Fiber.Fiber<never>>()
    /** The shards that it is to own by now: its process may run the tasks of `own` and `disown` in another order. */
    const wanted = new Set<number>()
    const tell = yield* telling(scope)
    let isStopping = false
    options.ready({
      process,
      intake: Context.get(built, Intake.Intake),
      cancel: yield* Effect.provideContext(Cancel.make, Context.merge(options.shared, built)),
      runJob: yield* RunJob.make.pipe(
        Effect.provideService(ShardCount, options.shardCount),
        Effect.provideContext(built)
      ),
      told: Callbacks.applying({
        receipts: Context.get(built, Receipts.Receipts),
        suppressions: Context.get(built, Suppressions)
      }),
      opened: (environment, id) => Tracking.opened(Context.get(built, Journal), environment, id),
      shards,
      tell,
      owned,
      own: (shard) => {
        wanted.add(shard)
        process.post(() => {
          if (!wanted.has(shard) || owned.has(shard) || isStopping) return
          owned.set(shard, process.run(Effect.provideContext(shards.own(shard, process.name), built)))
        })
      },
      disown: (shard, done) => {
        wanted.delete(shard)
        process.post(() => {
          const fiber = owned.get(shard)
          if (fiber === undefined || wanted.has(shard)) return done()
          owned.delete(shard)
          fiber.addObserver(done)
          fiber.interruptUnsafe()
        })
      },
      stop: (done) =>
        process.post(() => {
          isStopping = true
          const stopped = shards.stop.pipe(
            Effect.andThen(Fiber.interruptAll([...owned.values()])),
            Effect.andThen(Scope.close(scope, Exit.void))
          )
          process.run(stopped).addObserver(done)
        }),
      isStopping: () => isStopping
    })
  })
  process.post(() =>
    process.run(born).addObserver((exit) => {
      if (exit._tag === "Failure")
        options.logs.push({ node: process.name, level: "Fatal", text: Cause.pretty(exit.cause) })
    })
  )
}
