import { check, has, member, namesOf, objectOf } from "#src/content/jsonnet/Objects.ts"
import { equals } from "#src/content/jsonnet/Operators.ts"
import { type Arguments, define } from "#src/content/jsonnet/std/Arguments.ts"
import { ArrayValue, ObjectValue, type Slot, Thunk, type Value } from "#src/content/jsonnet/Value.ts"

const memberOf = ({ at, machine }: Arguments, object: ObjectValue, name: string): Value => {
  check(machine, object)
  return member(machine, object, name, at) ?? null
}

const lazily = (given: Arguments, object: ObjectValue, name: string): Slot =>
  new Thunk(() => memberOf(given, object, name))

/** The names of an object's fields, charged for what is made of each. */
const namesIn = ({ machine }: Arguments, object: ObjectValue, withHidden = false): ReadonlyArray<string> => {
  const found = namesOf(machine, object, withHidden)
  return machine.step(found.length >> 1) ? found : []
}

const names = (given: Arguments, withHidden: boolean): Value => given.array(namesIn(given, given.object(0), withHidden))

const values = (given: Arguments, withHidden: boolean): Value => {
  const object = given.object(0)
  return given.array(namesIn(given, object, withHidden).map((name) => lazily(given, object, name)))
}

const pairs = (given: Arguments, withHidden: boolean): Value => {
  const object = given.object(0)
  return given.array(
    namesIn(given, object, withHidden).map((name) => objectOf([["key", name], ["value", lazily(given, object, name)]]))
  )
}

const holds = (given: Arguments, withHidden: boolean): boolean => {
  const [object, name] = [given.object(0), given.string(1)]
  return withHidden ? has(given.machine, object, name) : namesOf(given.machine, object).includes(name)
}

/** Applies a JSON Merge Patch (RFC 7396): fields of `patch` replace those of `target`, and `null` removes them. */
const merged = (given: Arguments, target: Value, patch: Value): Value => {
  const { machine } = given
  if (!(patch instanceof ObjectValue)) return patch
  const entries = new Map<string, Slot>()
  if (target instanceof ObjectValue) {
    for (const name of namesIn(given, target)) entries.set(name, lazily(given, target, name))
  }
  if (!machine.enter(given.at)) return null
  for (const name of namesOf(machine, patch)) {
    if (!machine.step()) break
    const value = memberOf(given, patch, name)
    if (value === null) entries.delete(name)
    else if (!(value instanceof ObjectValue)) entries.set(name, value)
    else entries.set(name, merged(given, given.force(entries.get(name) ?? null), value))
  }
  machine.leave()
  return objectOf(entries)
}

/** Whether `std.prune` keeps a value. */
const isContent = (given: Arguments, value: Value): boolean =>
  value !== null && !(value instanceof ArrayValue && value.items.length === 0) &&
  !(value instanceof ObjectValue && namesOf(given.machine, value).length === 0)

const pruned = (given: Arguments, value: Value): Value => {
  const { machine } = given
  if (!(value instanceof ArrayValue || value instanceof ObjectValue) || !machine.enter(given.at)) return value
  const kept: Array<Value> = []
  const entries: Array<readonly [string, Value]> = []
  for (const item of value instanceof ArrayValue ? value.items : []) {
    if (!machine.step()) break
    const made = pruned(given, given.force(item))
    if (isContent(given, made)) kept.push(made)
  }
  for (const name of value instanceof ObjectValue ? namesOf(machine, value) : []) {
    if (!machine.step() || !(value instanceof ObjectValue)) break
    const made = pruned(given, memberOf(given, value, name))
    if (isContent(given, made)) entries.push([name, made])
  }
  machine.leave()
  return value instanceof ArrayValue ? new ArrayValue(kept) : objectOf(entries)
}

/** Functions for objects and their fields. */
export const objects = [
  define("get", "o f default? inc_hidden?", (given) => {
    const [object, name] = [given.object(0), given.string(1)]
    const found = given.boolean(3, true)
      ? has(given.machine, object, name)
      : namesOf(given.machine, object).includes(name)
    return found ? memberOf(given, object, name) : given.value(2)
  }),
  define("objectHas", "o f", (given) => holds(given, false)),
  define("objectHasAll", "o f", (given) => holds(given, true)),
  define("objectHasEx", "o f hidden", (given) => holds(given, given.boolean(2))),
  define("objectFields", "o", (given) => names(given, false)),
  define("objectFieldsAll", "o", (given) => names(given, true)),
  define("objectFieldsEx", "o hidden", (given) => names(given, given.boolean(1))),
  define("objectValues", "o", (given) => values(given, false)),
  define("objectValuesAll", "o", (given) => values(given, true)),
  define("objectKeysValues", "o", (given) => pairs(given, false)),
  define("objectKeysValuesAll", "o", (given) => pairs(given, true)),
  define("objectRemoveKey", "obj key", (given) => {
    const [object, key] = [given.object(0), given.string(1)]
    const shown = new Set(namesIn(given, object))
    const left = namesIn(given, object, true).filter((name) => name !== key)
    const fields = (isShown: boolean) =>
      left.filter((name) => shown.has(name) === isShown).map((name) => [name, lazily(given, object, name)] as const)
    return new ObjectValue([...objectOf(fields(true)).layers, ...objectOf(fields(false), "hidden").layers])
  }),
  define("mapWithKey", "func obj", (given) => {
    const [of, object] = [given.function(0), given.object(1)]
    return objectOf(
      namesIn(given, object).map((name) => [name, given.later(of, name, lazily(given, object, name))])
    )
  }),
  define("mergePatch", "target patch", (given) => merged(given, given.value(0), given.value(1))),
  define("prune", "a", (given) => pruned(given, given.value(0))),
  define("contains", "arr elem", (given) => {
    const wanted = given.value(1)
    return given.items(0).some((item) =>
      given.machine.step() && equals(given.machine, given.force(item), wanted, given.at)
    )
  })
]
