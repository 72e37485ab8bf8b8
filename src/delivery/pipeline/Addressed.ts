import { isList } from "#schemas/Json.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { RenderFailed } from "#src/content/Content.ts"
import { isTemplate } from "#src/content/template/Tags.ts"
import { Result, type Schema } from "effect"

/** The overrides that name who else an e-mail is for and who is answered; they may hold variables (api.md §3). */
const fields = ["cc", "bcc", "reply_to"] as const

type Fill = (texts: ReadonlyArray<string>) => Result.Result<ReadonlyArray<string>, RenderFailed>

/** The texts of a value, at any depth: a person is a text or `{email, name}`, a list of them an array. */
const textsOf = (value: Schema.Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (value === null || typeof value !== "object") return []
  return Object.values(value).flatMap(textsOf)
}

/**
 * The value with its texts filled in. An address that comes out empty is left out, with the person that it is of: so
 * somebody can be copied in only if there is somebody.
 */
const replaced = (value: Schema.Json, by: ReadonlyMap<string, string>): Schema.Json | undefined => {
  if (typeof value === "string") return by.get(value)?.trim() === "" ? undefined : by.get(value) ?? value
  if (value === null || typeof value !== "object") return value
  if (isList(value)) return value.flatMap((one) => replaced(one, by) ?? [])
  const filled = present(Object.entries(value).map(([key, one]) => [key, replaced(one, by)]))
  return Object.hasOwn(value, "email") && !Object.hasOwn(filled, "email") ? undefined : filled
}

const present = (entries: ReadonlyArray<readonly [string, Schema.Json | undefined]>): Schema.JsonObject =>
  Object.fromEntries(entries.flatMap(([key, value]) => value === undefined ? [] : [[key, value]]))

/**
 * The override with the variables of its addresses filled in, without those that come out empty; without any it is the
 * same object.
 */
export const of = (override: JsonMap, fill: Fill): Result.Result<JsonMap, RenderFailed> => {
  const given = fields.flatMap((field) => {
    const value = override[field]
    return value === undefined ? [] : [[field, value] as const]
  })
  const templates = given.flatMap(([, value]) => textsOf(value)).filter(isTemplate)
  if (templates.length === 0) return Result.succeed(override)
  return Result.map(fill(templates), (filled) => {
    const by = new Map(templates.map((template, index) => [template, filled[index] ?? ""]))
    const own = Object.fromEntries(given.map(([field, value]) => [field, replaced(value, by)]))
    return present(Object.entries({ ...override, ...own }))
  })
}
