import { type Catalogue, type CatalogueEntry, find } from "#src/delivery/Catalogue.ts"
import type { Configuration } from "#src/delivery/ProviderConfigurations.ts"
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

/**
 * Settings as they are to be stored: what the catalogue knows and is not null, and the stored secret where its own mask
 * was sent back. Fails with the name of a field that holds another mask, which would be stored as a secret that opens
 * nothing.
 */
export const unmask = (
  { fields }: CatalogueEntry,
  sent: Schema.JsonObject,
  stored: Schema.JsonObject = {}
): Result.Result<Schema.JsonObject, string> => {
  const kept: Array<readonly [string, Schema.Json]> = []
  for (const [key, value] of Object.entries(sent)) {
    if (!Object.hasOwn(fields, key) || value === null) continue
    const before = Object.hasOwn(stored, key) ? stored[key] : undefined
    const isMask = fields[key]?.secret === true && typeof value === "string" && value.startsWith(dots)
    if (!isMask) kept.push([key, value])
    else if (before !== undefined && maskOf(before) === value) kept.push([key, before])
    else return Result.fail(key)
  }
  return Result.succeed(Object.fromEntries(kept))
}
