import type { Schema } from "effect"

/** A caller's JSON, or nothing. */
export type Value = Schema.Json | undefined

export const isList = (value: Value): value is Schema.JsonArray => Array.isArray(value)

/** Whether it is an object; a list is not one here. */
export const isObject = (value: Value): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !isList(value)

const index = /^(?:0|[1-9]\d*)$/

/** The value at a path of keys, each an object's own key or a list's index; `undefined` if there is none. */
export const valueAt = (value: Value, keys: ReadonlyArray<string>): Value =>
  keys.reduce<Value>((found, key) => {
    if (isList(found)) return index.test(key) ? found[Number(key)] : undefined
    return isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }, value)
