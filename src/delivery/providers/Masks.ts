import { type Catalogue, type CatalogueEntry, find } from "#src/delivery/providers/Catalogue.ts"
import type { Configuration } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Redacted, Result, type Schema } from "effect"

const dots = "••••"

/** What is shown of a secret: nothing of a short one, the last four characters of a text of at least 16. */
const maskOf = (value: Schema.Json): string =>
  typeof value === "string" && value.length >= 16 ? `${dots}${value.slice(-4)}` : dots

/**
 * A configuration's settings as they may be shown: a mask in place of every secret (P9), and of everything whose
 * meaning is not known, since its vendor has left the catalogue.
 */
export const shown = (catalogue: Catalogue["Service"], { provider, settings }: Configuration): Schema.JsonObject => {
  const fields = find(catalogue, provider)?.fields
  const stored = settings === undefined ? {} : Redacted.value(settings)
  return Object.fromEntries(
    Object.entries(stored).map(([key, value]) => [key, fields?.[key]?.secret === false ? value : maskOf(value)])
  )
}

/** A mask that does not stand for its secret: the name of its field, and what is wanted there. */
export interface Unmaskable {
  readonly field: string
  readonly expected: string
}

/**
 * Settings as they are to be stored: what the catalogue knows and is not null, and the stored secret where its own mask
 * was sent back. Fails where a field holds another mask, which would be stored as a secret that opens nothing, and
 * where the secret would go elsewhere than before: whoever shows only its mask may not know it, and the new place would
 * be handed it.
 */
export const unmask = (
  { fields, places }: CatalogueEntry,
  sent: Schema.JsonObject,
  stored: Schema.JsonObject = {}
): Result.Result<Schema.JsonObject, Unmaskable> => {
  const moved = places.find((place) => (sent[place] ?? undefined) !== stored[place])
  const kept: Array<readonly [string, Schema.Json]> = []
  for (const [key, value] of Object.entries(sent)) {
    if (!Object.hasOwn(fields, key) || value === null) continue
    const before = Object.hasOwn(stored, key) ? stored[key] : undefined
    const isMask = fields[key]?.secret === true && typeof value === "string" && value.startsWith(dots)
    if (!isMask) kept.push([key, value])
    else if (before === undefined || maskOf(before) !== value)
      return Result.fail({ field: key, expected: "Expected the secret itself, or the mask that was shown" })
    else if (moved !== undefined)
      return Result.fail({ field: key, expected: `Expected the secret itself, since ${moved} is another than before` })
    else kept.push([key, before])
  }
  return Result.succeed(Object.fromEntries(kept))
}
