import { isList, isObject } from "#schemas/Json.ts"
import { objectOf } from "#src/content/jsonnet/Objects.ts"
import { ArrayValue, type Machine, type Slot, Thunk, type Value } from "#src/content/jsonnet/Value.ts"
import type { Schema } from "effect"

/** Reads JSON as values of a program. Nested parts are converted when they are needed, and only once. */
export const reader = (pay: Pick<Machine, "room">): (data: Schema.Json | undefined) => Value => {
  const kept = new Map<Schema.JsonArray | Schema.JsonObject, Value>()

  const inner = (part: Schema.Json): Slot =>
    typeof part === "object" && part !== null ? new Thunk(() => valueOf(part)) : part

  const fresh = (data: Schema.JsonArray | Schema.JsonObject): Value => {
    if (isList(data)) return pay.room(data.length) ? new ArrayValue(data.map(inner)) : null
    const names = Object.keys(data)
    return pay.room(names.length) ? objectOf(names.map((name) => [name, inner(data[name] ?? null)])) : null
  }

  const valueOf = (data: Schema.Json | undefined): Value => {
    if (!isList(data) && !isObject(data)) return data ?? null
    const made = kept.get(data) ?? fresh(data)
    kept.set(data, made)
    return made
  }

  return valueOf
}
