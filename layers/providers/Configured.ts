import { Unavailable } from "#schemas/DeliveryError.ts"
import type { Scope as Environment } from "#schemas/Scope.ts"
import { Catalogue, find, namesOf as vendorNames } from "#src/delivery/providers/Catalogue.ts"
import type { Provider, Vendor } from "#src/delivery/Provider.ts"
import { type Configuration, ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { keyOf } from "#src/delivery/providers/ProviderNames.ts"
import { Providers } from "#src/delivery/Providers.ts"
import { Effect, Equal, Exit, Layer, RcMap, Redacted, Scope, Semaphore } from "effect"

/** One version of a configuration. Versions are told apart by reference, not by their fields. */
interface Version {
  readonly configuration: Configuration
}

/**
 * An environment's providers, built for one list of configurations. `lease` keeps the resources of their vendors open.
 */
interface Built {
  readonly of: ReadonlyArray<Configuration>
  readonly versions: ReadonlyMap<string, Version>
  readonly lease: Scope.Closeable
  readonly providers: ReadonlyArray<Provider>
}

/** The names by which a message, a strategy or an attempt may refer to a configuration. */
const namesOf = (all: ReadonlyArray<Configuration>, configuration: Configuration) => {
  const { alias, id, provider } = configuration
  return { key: keyOf(all, configuration), names: [alias ?? id, id, ...vendorNames(provider)] }
}

const isSame = (one: Configuration, other: Configuration): boolean =>
  one.updated === other.updated && Equal.equals(valueOf(one), valueOf(other))

const valueOf = ({ settings }: Configuration) => settings === undefined ? undefined : Redacted.value(settings)

/**
 * The vendors that each environment has configured, after those that are always installed. A vendor is built once per
 * version of its configuration, rebuilt when that changes, and closed when it is removed and its last call has ended.
 * One that is not set up, or that this version of the server cannot build, is left out.
 */
export const layer = Layer.effect(
  Providers,
  Effect.gen(function*() {
    const installed = yield* Providers
    const catalogue = yield* Catalogue
    const configurations = yield* ProviderConfigurations
    const turn = yield* Semaphore.make(1)
    const environments = new Map<Environment, Built>()

    const vendors = yield* RcMap.make({
      lookup: Effect.fnUntraced(function*({ configuration: { id, provider, settings } }: Version) {
        const entry = find(catalogue, provider)
        if (entry === undefined || settings === undefined) return undefined
        return yield* Effect.flatten(entry.vendor(Redacted.value(settings))).pipe(
          Effect.catch(() =>
            Effect.as(Effect.logError("a provider configuration does not fit its provider", { id }), undefined)
          )
        )
      })
    })

    const notSetUp = Effect.fail(new Unavailable({ detail: "The provider is not set up" }))

    /** Keeps the vendor open while it is called, so that a change of its configuration cuts off no call. */
    const sending = (version: Version): Vendor["send"] => (delivery) =>
      Effect.scoped(Effect.flatMap(RcMap.get(vendors, version), (vendor) => vendor?.send(delivery) ?? notSetUp))
    const asking = (version: Version): NonNullable<Vendor["receipts"]> => (tickets) =>
      Effect.scoped(
        Effect.flatMap(RcMap.get(vendors, version), (vendor) => vendor?.receipts?.(tickets) ?? notSetUp)
      )

    const build = Effect.fnUntraced(function*(environment: Environment, all: ReadonlyArray<Configuration>) {
      const before = environments.get(environment)
      const providers: Array<Provider> = [...(yield* installed.configured(environment))]
      const versions = new Map<string, Version>()
      const lease = yield* Scope.make()
      for (const configuration of all) {
        const known = before?.versions.get(configuration.id)
        const version = known !== undefined && isSame(known.configuration, configuration)
          ? known
          : Equal.byReferenceUnsafe({ configuration })
        const vendor = yield* Scope.provide(RcMap.get(vendors, version), lease)
        versions.set(configuration.id, version)
        if (vendor === undefined) continue
        const { created, id, updated } = configuration
        const names = namesOf(all, configuration)
        providers.push({
          ...vendor,
          ...names,
          version: `${id} ${updated ?? created}`,
          send: sending(version),
          ...(vendor.receipts === undefined ? {} : { receipts: asking(version) })
        })
      }
      environments.set(environment, { of: all, versions, lease, providers })
      if (before !== undefined) yield* Scope.close(before.lease, Exit.void)
      return providers
    }, Effect.uninterruptible)

    yield* Effect.addFinalizer(() =>
      Effect.forEach(environments.values(), ({ lease }) => Scope.close(lease, Exit.void), { discard: true })
    )

    const configured: Providers["Service"]["configured"] = Effect.fnUntraced(function*(environment) {
      const all = yield* configurations.installed(environment)
      const known = environments.get(environment)
      if (known?.of === all) return known.providers
      return yield* turn.withPermit(Effect.suspend(() => {
        const meanwhile = environments.get(environment)
        return meanwhile?.of === all ? Effect.succeed(meanwhile.providers) : build(environment, all)
      }))
    })

    return Providers.of({ configured })
  })
)
