import { Predicate } from "effect"

const ofObject = (value: Readonly<Record<PropertyKey, unknown>>): number => {
  let size = 2
  for (const key in value) size += key.length + 4 + of(value[key])
  return size
}

/** Most numbers that are large or have a fraction take no more characters than this. */
const longestNumber = 22

/** About how many characters a JSON value has: what it costs to hold it and to write it. */
export const of = (value: unknown): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e6 ? 5 : longestNumber
  if (Array.isArray(value)) return value.reduce<number>((size, one) => size + of(one) + 1, 2)
  return Predicate.isObject(value) ? ofObject(value) : 5
}
