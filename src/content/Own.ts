import { isList, type Value } from "#schemas/Json.ts"

/** An own key, or `undefined`: nothing inherited is ever seen, so `constructor` or `__proto__` are what the data says they are. */
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

/** The keys of a path in a text: dots and brackets, with or without quotes. */
export const keysOf = (path: string): ReadonlyArray<string> => path.match(key) ?? []

/** Lists in lists that still read as a text. */
const deepest = 64

/** An item of a list takes longer than a character that is looked at. */
const costOfItem = 8

/**
 * How a value reads inside a text. Its own `toString` is data and never called. `look` pays for the items of lists, since lists within lists may
 * be many and say nothing.
 */
export const textOf = (value: Value, look: (characters: number) => boolean = () => true, depth = 0): string => {
  if (typeof value === "string") return value
  if (value === undefined || value === null || depth > deepest) return ""
  if (isList(value))
    return look(value.length * costOfItem) ? value.map((item) => textOf(item, look, depth + 1)).join(",") : ""
  return typeof value === "object" ? "[object Object]" : String(value)
}
