import { PreferenceChannel } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Catalogue, type CatalogueEntry, find } from "#src/delivery/providers/Catalogue.ts"
import * as Masks from "#src/delivery/providers/Masks.ts"
import {
  type Configuration,
  type ConfigurationDraft,
  ProviderConfigurations
} from "#src/delivery/providers/ProviderConfigurations.ts"
import { Effect, Redacted, Result, Schema, SchemaIssue } from "effect"

/** The configuration is not one of this catalogue: 400. `issue` names the fields and repeats no value. */
export class ConfigurationRefused extends Schema.TaggedError<ConfigurationRefused>()("ConfigurationRefused", {
  issue: Schema.declare(SchemaIssue.isIssue)
}) {}

/** What a caller wrote. `settings` absent: none yet. */
export interface Wanted {
  readonly provider: string
  readonly title: string | undefined
  readonly alias: string | undefined
  readonly settings: Schema.JsonObject | undefined
}

const refused = (path: ReadonlyArray<PropertyKey>, message: string) =>
  new ConfigurationRefused({ issue: new SchemaIssue.Pointer(path, new SchemaIssue.InvalidValue({ message })) })

/**
 * What a routing names besides providers: a configuration with such an alias would be taken for the channel, or the
 * channel for it.
 */
const channels: ReadonlySet<string> = new Set([...PreferenceChannel.literals, "banner"])

/** Creates and replaces provider configurations that fit the catalogue. */
export const make = Effect.gen(function*() {
  const catalogue = yield* Catalogue
  const configurations = yield* ProviderConfigurations

  const checked = Effect.fnUntraced(function*(
    entry: CatalogueEntry,
    sent: Schema.JsonObject | undefined,
    stored: Configuration | undefined
  ) {
    if (sent === undefined) return undefined
    const before = stored?.settings === undefined ? undefined : Redacted.value(stored.settings)
    const settings = Masks.unmask(entry, sent, before)
    if (Result.isFailure(settings)) {
      return yield* refused(["settings", settings.failure.field], settings.failure.expected)
    }
    yield* entry.vendor(settings.success).pipe(
      Effect.mapError((issue) => new ConfigurationRefused({ issue: new SchemaIssue.Pointer(["settings"], issue) }))
    )
    return Redacted.make(settings.success)
  })

  const drafted = Effect.fnUntraced(function*({ alias, provider, settings, title }: Wanted, stored?: Configuration) {
    const entry = find(catalogue, provider)
    if (entry === undefined) return yield* refused(["provider"], "Expected a key of GET /providers/catalog")
    if (stored !== undefined && stored.provider !== entry.key) {
      return yield* refused(["provider"], `Expected ${stored.provider}: the provider of a configuration cannot change`)
    }
    if (alias !== undefined && (channels.has(alias) || find(catalogue, alias) !== undefined)) {
      return yield* refused(["alias"], "Expected no key of a provider and no channel")
    }
    return {
      provider: entry.key,
      title,
      alias,
      settings: yield* checked(entry, settings, stored)
    } satisfies ConfigurationDraft
  })

  return {
    /** Fails if it could not be created; another configuration with the same alias is not looked for. */
    check: (wanted: Wanted) => Effect.asVoid(drafted(wanted)),
    /** Creates these if the environment never had any; answers whether it did. */
    first: Effect.fnUntraced(function*(scope: Scope, all: ReadonlyArray<Wanted>) {
      return yield* configurations.first(scope, yield* Effect.forEach(all, (wanted) => drafted(wanted)))
    }),
    create: Effect.fnUntraced(function*(scope: Scope, wanted: Wanted) {
      return yield* configurations.create(scope, yield* drafted(wanted))
    }),
    replace: (scope: Scope, id: string, wanted: Wanted) =>
      configurations.replace(scope, id, (stored) => drafted(wanted, stored))
  }
})
