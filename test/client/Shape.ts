import { assert } from "@effect/vitest"

/** What a field must be; a description for the message, and the test. */
export interface Check {
  readonly is: string
  readonly holds: (value: unknown) => boolean
}

const check = (is: string, holds: Check["holds"]): Check => ({ is, holds })

export const text = check("a string", (value) => typeof value === "string")
export const millis = check("epoch milliseconds", (value) => Number.isInteger(value) && Number(value) > 1.6e12)
export const integer = check("an integer", Number.isInteger)
export const flag = check("a boolean", (value) => typeof value === "boolean")
export const map = check("an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value))
export const anything = check("anything", () => true)
export const iso = check(
  "an ISO 8601 time",
  (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
)
export const oneOf = (...values: ReadonlyArray<string>): Check =>
  check(`one of ${values.join(", ")}`, (value) => typeof value === "string" && values.includes(value))
export const optional = ({ holds, is }: Check): Check =>
  check(`${is} or nothing`, (value) => value === undefined || value === null || holds(value))
export const listOf = ({ holds, is }: Check): Check =>
  check(`a list of: ${is}`, (value) => Array.isArray(value) && value.every(holds))

/** A check for every field that the client's type `T` names: one more in a newer client, and this does not compile. */
export type Fields<T> = { readonly [Name in keyof Required<T> as string extends Name ? never : Name]: Check }

/** A value is what the client's type says it is. */
export const shaped = <T extends object>(fields: Fields<T>) => {
  const entries = Object.entries<Check>(fields)
  const faultOf = (value: unknown): string | undefined => {
    if (!map.holds(value)) return "not an object"
    const found = entries.find(([name, { holds }]) => !holds(Reflect.get(Object(value), name)))
    return found === undefined ? undefined : `${found[0]} is not ${found[1].is}`
  }
  return {
    check: check("as the client's type says", (value) => faultOf(value) === undefined),
    assert: (value: T): T => {
      assert.isUndefined(faultOf(value), JSON.stringify(value))
      return value
    }
  }
}
