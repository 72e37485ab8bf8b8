import type { Schema } from "effect"

/** A caller's JSON, or nothing. */
export type Value = Schema.Json | undefined

export const isList = (value: Value): value is Schema.JsonArray => Array.isArray(value)

/** An object with fields, which a list is not. */
export const isObject = (value: Value): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !isList(value)

const index = /^(?:0|[1-9]\d*)$/

/** The value behind these keys, each an object's own or the index of a list; `undefined` where there is none. */
export const valueAt = (value: Value, keys: ReadonlyArray<string>): Value =>
  keys.reduce<Value>((found, key) => {
    if (isList(found)) return index.test(key) ? found[Number(key)] : undefined
    return isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }, value)
