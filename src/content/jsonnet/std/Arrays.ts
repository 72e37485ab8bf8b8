import { equals, finite } from "#src/content/jsonnet/Operators.ts"
import { type Arguments, define } from "#src/content/jsonnet/std/Arguments.ts"
import { slice } from "#src/content/jsonnet/Slice.ts"
import { ArrayValue, type Builtin, type Closure, named, type Slot, type Value } from "#src/content/jsonnet/Value.ts"

/** The items for which a function is true. */
const chosen = (given: Arguments, of: Closure | Builtin, items: ReadonlyArray<Slot>): ReadonlyArray<Slot> =>
  items.filter((item) => given.machine.step() && given.toBoolean(given.call(of, item)))

const same = (given: Arguments, item: Slot, wanted: Value): boolean =>
  given.machine.step() && equals(given.machine, given.force(item), wanted, given.at)

const folded = (given: Arguments, items: ReadonlyArray<Slot>, isFromRight: boolean): Value => {
  const of = given.function(0)
  let made = given.value(2)
  for (const item of items) {
    if (!given.machine.step()) return null
    made = isFromRight ? given.call(of, item, made) : given.call(of, made, item)
  }
  return made
}

const joined = (given: Arguments, between: string, parts: ReadonlyArray<Slot>): Value => {
  const texts: Array<string> = []
  for (const part of parts) {
    if (!given.machine.step()) return null
    texts.push(given.toText(given.force(part)))
  }
  return given.machine.look(between.length * texts.length) ? texts.join(between) : null
}

const joinedArrays = (given: Arguments, between: ReadonlyArray<Slot>, parts: ReadonlyArray<Slot>): Value => {
  const all: Array<Slot> = []
  let isFirst = true
  for (const part of parts) {
    const items = given.toItems(given.force(part))
    if (!given.machine.step() || !given.machine.room(between.length + items.length)) return null
    if (!isFirst) { for (const item of between) all.push(item) }
    for (const item of items) all.push(item)
    isFirst = false
  }
  return new ArrayValue(all)
}

/** The items that are not null, which a join leaves out. */
const present = (given: Arguments, items: ReadonlyArray<Slot>): ReadonlyArray<Slot> =>
  items.filter((item) => given.machine.step() && given.force(item) !== null)

const flattened = (given: Arguments, value: Value, all: Array<Slot>): void => {
  if (!(value instanceof ArrayValue)) {
    all.push(value)
    return
  }
  if (!given.machine.enter(given.at)) return
  for (const item of value.items) {
    if (!given.machine.step()) break
    flattened(given, given.force(item), all)
  }
  given.machine.leave()
}

const texts = (given: Arguments, value: Value, all: Array<Slot>): void => {
  const parts: Array<Slot> = []
  flattened(given, value, parts)
  for (const part of parts) all.push(given.toText(given.force(part)))
}

const sum = (given: Arguments, items: ReadonlyArray<Slot>): number | null =>
  finite(given.machine, items.reduce<number>((sum, item) => sum + given.toNumber(given.force(item)), 0), given.at)

/** Functions for arrays, and for texts as arrays of characters where the language allows it. */
export const arrays = [
  define("map", "func arr", (given) => {
    const of = given.function(0)
    return given.array(given.sequence(1).map((item) => given.later(of, item)))
  }),
  define("mapWithIndex", "func arr", (given) => {
    const of = given.function(0)
    return given.array(given.sequence(1).map((item, n) => given.later(of, n, item)))
  }),
  define("filter", "func arr", (given) => given.array(chosen(given, given.function(0), given.items(1)))),
  define("filterMap", "filter_func map_func arr", (given) => {
    const of = given.function(1)
    return given.array(chosen(given, given.function(0), given.items(2)).map((item) => given.later(of, item)))
  }),
  define("flatMap", "func arr", (given) => {
    const of = given.function(0)
    const isText = typeof given.value(1) === "string"
    const made = given.sequence(1).map((item) => given.machine.step() ? given.call(of, item) : null)
    return isText ? joined(given, "", made) : joinedArrays(given, [], made)
  }),
  define("foldl", "func arr init", (given) => folded(given, given.sequence(1), false)),
  define("foldr", "func arr init", (given) => folded(given, given.sequence(1).toReversed(), true)),
  define("range", "from to", (given) => {
    const [from, to] = [given.integer(0), given.integer(1)]
    const count = Math.max(0, to - from + 1)
    return given.machine.step(count) ? given.array(Array.from({ length: count }, (_, n) => from + n)) : null
  }),
  define("makeArray", "sz func", (given) => {
    const [count, of] = [given.integer(0), given.function(1)]
    if (count < 0) return given.fail("needs a size that is not below zero")
    return given.machine.step(count) ? given.array(Array.from({ length: count }, (_, n) => given.later(of, n))) : null
  }),
  define("repeat", "what count", (given) => {
    const [what, count] = [given.value(0), given.integer(1)]
    if (count < 0) return given.fail("needs a count that is not below zero")
    if (typeof what === "string") return given.machine.look(what.length * count + count) ? what.repeat(count) : null
    if (!(what instanceof ArrayValue)) return given.fail(`${named(what)} is not repeated`)
    if (!given.machine.room((what.items.length + 1) * count)) return null
    return new ArrayValue(Array.from({ length: count }, () => what.items).flat())
  }),
  define(
    "slice",
    "indexable index end step",
    (given) => slice(given.machine, given.value(0), given.value(1), given.value(2), given.value(3), given.at)
  ),
  define("member", "arr x", (given) => {
    const [of, wanted] = [given.value(0), given.value(1)]
    if (typeof of === "string") {
      const pattern = given.toText(wanted)
      return given.searches(of, pattern) && of.includes(pattern)
    }
    return given.toItems(of).some((item) => same(given, item, wanted))
  }),
  define("count", "arr x", (given) => given.items(0).filter((item) => same(given, item, given.value(1))).length),
  define(
    "find",
    "value arr",
    (given) => given.array(given.items(1).flatMap((item, n) => same(given, item, given.value(0)) ? [n] : []))
  ),
  define("join", "sep arr", (given) => {
    const between = given.value(0)
    const parts = present(given, given.items(1))
    return typeof between === "string"
      ? joined(given, given.toText(between), parts)
      : joinedArrays(given, given.toItems(between), parts)
  }),
  define("deepJoin", "arr", (given) => {
    const all: Array<Slot> = []
    texts(given, given.value(0), all)
    return joined(given, "", all)
  }),
  define("lines", "arr", (given) => joined(given, "\n", [...present(given, given.items(0)), ""])),
  define("flattenArrays", "arrs", (given) => joinedArrays(given, [], given.items(0))),
  define("flattenDeepArray", "value", (given) => {
    const all: Array<Slot> = []
    flattened(given, given.value(0), all)
    return given.array(all)
  }),
  define("reverse", "arr", (given) => given.array(given.sequence(0).toReversed())),
  define(
    "all",
    "arr",
    (given) => given.items(0).every((item) => given.machine.step() && given.toBoolean(given.force(item)))
  ),
  define(
    "any",
    "arr",
    (given) => given.items(0).some((item) => given.machine.step() && given.toBoolean(given.force(item)))
  ),
  define("sum", "arr", (given) => sum(given, given.items(0))),
  define("avg", "arr", (given) => {
    const items = given.items(0)
    return items.length === 0 ? given.fail("there is no average of nothing") : (sum(given, items) ?? 0) / items.length
  }),
  define("removeAt", "arr at", (given) => {
    const place = given.integer(1)
    return given.array(given.items(0).filter((_, n) => n !== place))
  }),
  define("remove", "arr elem", (given) => {
    const items = given.items(0)
    const place = items.findIndex((item) => same(given, item, given.value(1)))
    return given.array(items.filter((_, n) => n !== place))
  })
]
