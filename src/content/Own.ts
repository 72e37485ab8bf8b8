import { isList, type Value } from "#schemas/Json.ts"

/**
 * The value of an own key, or `undefined`. Nothing inherited is ever seen, so `constructor` and `__proto__` are only
 * what the data says.
 */
export const member = (of: Value, key: string): Value => {
  if (typeof of === "string")
    return key === "length"
      ? of.length
      : Object.hasOwn(Object(of), key)
      ? of[Number(key)]
      : undefined
  if (typeof of !== "object" || of === null || !Object.hasOwn(of, key)) return undefined
  if (isList(of)) return key === "length" ? of.length : of[Number(key)]
  return of[key]
}

const key = /[^.[\]"']+/g

/** The keys of a path written as text: with dots or brackets, with or without quotes. */
export const keysOf = (path: string): ReadonlyArray<string> => path.match(key) ?? []

/** How deep nested lists are still converted to text. */
const deepest = 64

/** The cost of a list's item, compared to looking at one character. */
const costOfItem = 8

/**
 * A value as text. Its own `toString` is data, and never called. `look` pays for the items of lists, since nested lists
 * may have many items and no text.
 */
export const textOf = (value: Value, look: (characters: number) => boolean = () => true, depth = 0): string => {
  if (typeof value === "string") return value
  if (value === undefined || value === null || depth > deepest) return ""
  if (isList(value))
    return look(value.length * costOfItem) ? value.map((item) => textOf(item, look, depth + 1)).join(",") : ""
  return typeof value === "object" ? "[object Object]" : String(value)
}
