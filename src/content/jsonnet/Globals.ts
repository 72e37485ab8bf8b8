import type { Value as Data } from "#schemas/Json.ts"
import { reader } from "#src/content/jsonnet/Data.ts"
import { define } from "#src/content/jsonnet/std/Arguments.ts"
import { std } from "#src/content/jsonnet/Std.ts"
import { type Builtin, type Machine, type Slot, Thunk, type Value } from "#src/content/jsonnet/Value.ts"
import { keysOf, member } from "#src/content/Own.ts"
import type { Scope } from "#src/content/Variables.ts"
import type { Schema } from "effect"

/** The names that are bound in a program, and the variables of `std.extVar`. */
export interface Surroundings {
  readonly names: ReadonlyMap<string, Slot>
  readonly external: (name: string) => Value | undefined
}

const scalars = ["brand", "event", "message", "recipient", "template"] as const

/** The names that are bound in every program. */
export const known: ReadonlySet<string> = new Set(["std", "data", "profile", "request", "chunk", ...scalars])

/** The value of `request`: the message itself. */
const requestOf = ({ data, profile }: Scope, system: Schema.JsonObject): Schema.JsonObject => ({
  brand: member(system["brand"], "id") ?? null,
  event: system["event"] ?? null,
  message: system["messageId"] ?? null,
  recipient: system["recipient"] ?? null,
  template: system["template"] ?? null,
  data,
  profile
})

/**
 * `name("path", default)`: the value at a dotted path, or else the default, or else `null`. Without a path, the whole.
 */
const finder = (
  name: string,
  from: Data,
  valueOf: ReturnType<typeof reader>,
  isThrowing: boolean
): readonly [string, Builtin] =>
  define(name, "path? default?", (given) => {
    const path = given.string(0, "")
    const found = keysOf(path).reduce<Data>((value, key) => member(value, key), from)
    if (found !== undefined && found !== null) return valueOf(found)
    if (found === undefined && isThrowing && !given.has(1)) return given.fail(`"${path.slice(0, 80)}" was not found`)
    return given.value(1)
  })

const chunk = define("chunk", "str size", (given) => {
  const [letters, size] = [given.characters(given.string(0)), given.integer(1)]
  if (size < 1) return given.fail("needs a size above zero")
  const count = Math.ceil(letters.length / size)
  if (!given.machine.step(count)) return null
  return given.array(Array.from({ length: count }, (_, n) => letters.slice(n * size, (n + 1) * size).join("")))
})

/**
 * The names that a message binds (courier.com/docs, Jsonnet blocks and the Jsonnet webhook designer): `data("path",
 * default)`, `profile(…)`, `request(…)` for the message's own parts, `chunk(text, size)`, and `brand`, `event`,
 * `message`, `recipient` and `template`, which are ids.
 * Two things are our own choice: `std.extVar` knows `data`, `profile`, `refs`, a loop's `item` and `index`, and
 * everything that `{{…}}` knows; and `throw_on_variable_not_found` applies to a path without a default.
 */
export const surroundings = (scope: Scope, machine: Pick<Machine, "room">): Surroundings => {
  const { data, loop, profile, refs, throwing } = scope
  const system = scope.system()
  const request = requestOf(scope, system)
  const valueOf = reader(machine)
  return {
    names: new Map<string, Slot>([
      ["std", std()],
      finder("data", data, valueOf, throwing),
      finder("profile", profile, valueOf, throwing),
      finder("request", request, valueOf, throwing),
      chunk,
      ...scalars.map((name) => [name, new Thunk(() => valueOf(request[name]))] as const)
    ]),
    external: (name) => {
      const found = [{ data, profile, refs }, loop, system].find((part) =>
        part !== undefined && Object.hasOwn(part, name)
      )
      return found === undefined ? undefined : valueOf(member(found, name))
    }
  }
}
