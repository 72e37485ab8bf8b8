import { compare, equals } from "#src/content/jsonnet/Operators.ts"
import { type Arguments, define } from "#src/content/jsonnet/std/Arguments.ts"
import type { Slot, Value } from "#src/content/jsonnet/Value.ts"

interface Keyed {
  readonly slot: Slot
  readonly key: Value
}

/** Items with their sort keys: themselves, or the result of the function at `place`. */
const keyed = (given: Arguments, items: ReadonlyArray<Slot>, place: number): ReadonlyArray<Keyed> => {
  const of = given.has(place) ? given.function(place) : undefined
  return items.map((slot) => ({
    slot,
    key: given.machine.step() ? of === undefined ? given.force(slot) : given.call(of, slot) : null
  }))
}

const order = (given: Arguments, one: Keyed, other: Keyed): number =>
  given.machine.step() ? compare(given.machine, one.key, other.key, given.at) : 0

const same = (given: Arguments, one: Keyed, other: Keyed): boolean =>
  given.machine.step() && equals(given.machine, one.key, other.key, given.at)

const sorted = (given: Arguments, items: ReadonlyArray<Keyed>): ReadonlyArray<Keyed> =>
  items.toSorted((one, other) => order(given, one, other))

/** Drops items that equal the one before. */
const distinct = (given: Arguments, items: ReadonlyArray<Keyed>): ReadonlyArray<Keyed> =>
  items.filter((item, n) => {
    const before = items[n - 1]
    return before === undefined || !same(given, before, item)
  })

const array = (given: Arguments, items: ReadonlyArray<Keyed>): Value => given.array(items.map(({ slot }) => slot))

/** As `order`, but what is equal needs no order. */
const placed = (given: Arguments, one: Keyed, other: Keyed): number =>
  same(given, one, other) ? 0 : order(given, one, other)

/** Merges two sets. `keep` says which items stay: those of the first set only, of both, of the second only. */
const merged = (given: Arguments, keep: readonly [one: boolean, both: boolean, other: boolean]): Value => {
  const [ones, others] = [keyed(given, given.sequence(0), 2), keyed(given, given.sequence(1), 2)]
  const kept: Array<Keyed> = []
  let [left, right] = [0, 0]
  for (;;) {
    const [one, other] = [ones[left], others[right]]
    if (one === undefined && other === undefined) return array(given, kept)
    if (!given.machine.step()) return null
    const side = one === undefined ? 1 : other === undefined ? -1 : placed(given, one, other)
    if (side <= 0) left++
    if (side >= 0) right++
    const taken = side <= 0 ? one : other
    if (taken !== undefined && keep[side < 0 ? 0 : side === 0 ? 1 : 2]) kept.push(taken)
  }
}

const extreme = (given: Arguments, wanted: 1 | -1): Value => {
  const items = keyed(given, given.sequence(0), 1)
  const [first, ...rest] = items
  if (first === undefined) return given.has(2) ? given.value(2) : given.fail("there is none of an empty array")
  return given.force(rest.reduce((best, item) => order(given, item, best) * wanted > 0 ? item : best, first).slot)
}

/** Functions for sorting, and for sets: sorted arrays with each item once. */
export const sets = [
  define("sort", "arr keyF?", (given) => array(given, sorted(given, keyed(given, given.sequence(0), 1)))),
  define("uniq", "arr keyF?", (given) => array(given, distinct(given, keyed(given, given.sequence(0), 1)))),
  define(
    "set",
    "arr keyF?",
    (given) => array(given, distinct(given, sorted(given, keyed(given, given.sequence(0), 1))))
  ),
  define("setMember", "x arr keyF?", (given) => {
    const [wanted] = keyed(given, [given.slot(0)], 2)
    return wanted !== undefined && keyed(given, given.sequence(1), 2).some((item) => placed(given, item, wanted) === 0)
  }),
  define("setUnion", "a b keyF?", (given) => merged(given, [true, true, true])),
  define("setInter", "a b keyF?", (given) => merged(given, [false, true, false])),
  define("setDiff", "a b keyF?", (given) => merged(given, [true, false, false])),
  define("minArray", "arr keyF? onEmpty?", (given) => extreme(given, -1)),
  define("maxArray", "arr keyF? onEmpty?", (given) => extreme(given, 1))
]
