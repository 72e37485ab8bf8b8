import { Predicate, Schema } from "effect"

const hasBackslash = (value: unknown): boolean =>
  Predicate.isObjectOrArray(value) &&
  Object.entries(value).some(([key, member]) => key.includes("\\") || hasBackslash(member))

/**
 * Whether `JSON.parse` gives it back as it was. After an object with a backslash in a key, the V8 of Node 24.21 takes the escape that begins the
 * key at that place of another one for it: `{"\\":1}` and then `{"\n":1}` are two objects whose key is a backslash.
 */
export const legible = Schema.makeFilter((value: unknown) => !hasBackslash(value))
