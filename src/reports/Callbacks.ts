import type { Scope } from "#schemas/Scope.ts"
import type { Configuration } from "#src/delivery/providers/ProviderConfigurations.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { type AddressReport, suppressing } from "#src/reports/AddressReports.ts"
import { type Receipt, Receipts } from "#src/reports/Receipts.ts"
import { Array, Context, Effect, Layer, Option, Redacted, Schema } from "effect"

/** A provider's request as it came. */
export interface Callback {
  /**
   * The URLs that the provider may have called, absolute and with the query: behind a proxy neither scheme nor host is
   * certain.
   */
  readonly urls: ReadonlyArray<string>
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/**
 * The callback cannot be proved genuine: its signature is missing, wrong or too old, or there is nothing to check it
 * with. `detail` holds no payload.
 */
export class Forged extends Schema.TaggedError<Forged>()("Forged", { detail: Schema.String }) {}

/** What is needed for the check (a certificate) cannot be fetched now: the provider should retry. */
export class Unverifiable extends Schema.TaggedError<Unverifiable>()("Unverifiable", { detail: Schema.String }) {}

/** What a callback says: what became of messages, and of which addresses mail is to be sent to no more. */
export interface Told {
  readonly receipts: ReadonlyArray<Receipt>
  readonly addresses: ReadonlyArray<AddressReport>
}

/** Nothing that anybody here need know. */
export const nothing: Told = { receipts: [], addresses: [] }

/** Verifies one vendor's callbacks, and reads what they say. */
export interface CallbackReader {
  /**
   * `settings`: the decrypted settings of the configuration that is called back. Fails with `Forged` unless the
   * callback is genuine.
   */
  readonly read: (
    callback: Callback,
    settings: Schema.JsonObject
  ) => Effect.Effect<Told, Forged | Unverifiable>
}

/** The vendors that call back, by catalogue key. */
export class CallbackReaders
  extends Context.Service<CallbackReaders, ReadonlyMap<string, CallbackReader>>()("tidings/CallbackReaders")
{}

/** A configuration as callbacks need it. Receipts go to its `scope`, whatever they say themselves (P10). */
export interface CallbackTarget {
  readonly scope: Scope
  /** Catalogue key. */
  readonly provider: string
  /** The names under which calls through it may be stored: its key, its alias, its id. */
  readonly names: ReadonlyArray<string>
  readonly settings: Schema.JsonObject
}

/**
 * A stored configuration as a target. One without settings accepts no callback, since there is nothing to check it
 * with.
 */
export const targetOf = (scope: Scope, { alias, id, provider, settings }: Configuration): CallbackTarget => ({
  scope,
  provider,
  names: alias === undefined ? [provider, id] : [provider, alias, id],
  settings: settings === undefined ? {} : Redacted.value(settings)
})

/** Finds the configuration that an id in a callback's path names, in any environment. */
export class CallbackTargets extends Context.Service<CallbackTargets, {
  readonly find: (configurationId: string) => Effect.Effect<Option.Option<CallbackTarget>, StoreUnavailable>
}>()("tidings/CallbackTargets") {}

/** No such configuration, or its vendor does not call back. */
export class NoCallbacks extends Schema.TaggedError<NoCallbacks>()("NoCallbacks", { id: Schema.String }) {}

const isId = /^pc_\w{1,64}$/

/** How many addresses are suppressed at once: a vendor tells of thousands in one callback. */
const together = 50

/**
 * Applies what a callback of a configuration says. After a `StoreUnavailable` it is safe to do so again.
 */
export const applying = (
  { receipts, suppressions }: {
    readonly receipts: Receipts["Service"]
    readonly suppressions: Pick<Suppressions["Service"], "add">
  }
) =>
  Effect.fnUntraced(function*({ names, provider, scope }: Omit<CallbackTarget, "settings">, told: Told) {
    // First, since receipts of messages that are not known yet are waited for.
    for (const some of Array.chunksOf(suppressing(provider, told.addresses), together)) {
      yield* suppressions.add(scope, some)
    }
    yield* receipts.apply(scope, names, told.receipts)
  })

/** Takes one callback of a configuration. */
export type Receiver = (callback: Callback) => Effect.Effect<void, Forged | Unverifiable | StoreUnavailable>

/** Receives providers' callbacks: each is verified, then applied. After a `StoreUnavailable` it is safe to do so again. */
export class Callbacks extends Context.Service<Callbacks, {
  readonly receiver: (configurationId: string) => Effect.Effect<Receiver, NoCallbacks | StoreUnavailable>
}>()("tidings/Callbacks") {}

export const layer = Layer.effect(
  Callbacks,
  Effect.gen(function*() {
    const apply = applying({ receipts: yield* Receipts, suppressions: yield* Suppressions })
    const readers = yield* CallbackReaders
    const targets = yield* CallbackTargets

    const receive = Effect.fn("Callbacks.receive")(
      function*(reader: CallbackReader, target: CallbackTarget, callback: Callback) {
        yield* apply(target, yield* reader.read(callback, target.settings))
      }
    )

    return Callbacks.of({
      receiver: Effect.fnUntraced(function*(id) {
        const target = isId.test(id) ? Option.getOrUndefined(yield* targets.find(id)) : undefined
        const reader = target === undefined ? undefined : readers.get(target.provider)
        if (target === undefined || reader === undefined) return yield* new NoCallbacks({ id })
        return (callback) => receive(reader, target, callback)
      })
    })
  })
)
