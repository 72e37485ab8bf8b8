import { equals } from "#src/content/jsonnet/Operators.ts"
import { namesOf } from "#src/content/jsonnet/Objects.ts"
import { define } from "#src/content/jsonnet/std/Arguments.ts"
import { lengthOf } from "#src/content/jsonnet/Text.ts"
import { ArrayValue, Builtin, Closure, type Kind, kindOf, named, ObjectValue } from "#src/content/jsonnet/Value.ts"

const is = (name: string, kind: Kind) => define(name, "v", (given) => kindOf(given.value(0)) === kind)

/** Functions about types and equality, among others. */
export const types = [
  is("isArray", "array"),
  is("isBoolean", "boolean"),
  is("isFunction", "function"),
  is("isNull", "null"),
  is("isNumber", "number"),
  is("isObject", "object"),
  is("isString", "string"),
  define("type", "x", (given) => kindOf(given.value(0))),
  define("length", "x", (given) => {
    const value = given.value(0)
    if (typeof value === "string") return given.machine.look(value.length) ? lengthOf(value) : 0
    if (value instanceof ArrayValue) return value.items.length
    if (value instanceof ObjectValue) return namesOf(given.machine, value).length
    if (value instanceof Builtin || value instanceof Closure) return value.parameters.length
    return given.fail(`${named(value)} has no length`)
  }),
  define("toString", "a", (given) => given.machine.text(given.value(0), given.at)),
  define("equals", "a b", (given) => equals(given.machine, given.value(0), given.value(1), given.at)),
  define("assertEqual", "a b", (given) => {
    const [one, other] = [given.value(0), given.value(1)]
    if (equals(given.machine, one, other, given.at)) return true
    const said = (value: typeof one): string => given.machine.text(value, given.at).slice(0, 200)
    return given.fail(`${said(one)} is not ${said(other)}`)
  }),
  // Nobody could read a trace here.
  define("trace", "str rest", (given) => {
    given.string(0)
    return given.value(1)
  }),
  define("extVar", "x", (given) => {
    const name = given.string(0)
    const found = given.machine.external(name)
    return found === undefined ? given.fail(`there is no variable "${name.slice(0, 80)}"`) : found
  })
]
