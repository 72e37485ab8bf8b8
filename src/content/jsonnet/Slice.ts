import { characters, lengthOf, part } from "#src/content/jsonnet/Text.ts"
import { ArrayValue, type Machine, named, type Value } from "#src/content/jsonnet/Value.ts"

/** `of[from:to:by]`. A negative bound counts from the end. */
export const slice = (machine: Machine, of: Value, from: Value, to: Value, by: Value, at: number): Value => {
  if (!(of instanceof ArrayValue) && typeof of !== "string") return machine.fail(at, `${named(of)} has no slices`)
  const size = typeof of === "string" ? of.length : of.items.length
  if (!(typeof of === "string" ? machine.look(size) : machine.room(size))) return null
  const length = typeof of === "string" ? lengthOf(of) : size
  const bound = (value: Value, otherwise: number): number => {
    if (value === null) return otherwise
    if (typeof value === "number" && Number.isInteger(value))
      return Math.min(length, value < 0 ? Math.max(0, length + value) : value)
    machine.fail(at, `a bound of a slice is a whole number, and not ${named(value)}`)
    return otherwise
  }
  const [start, stop] = [bound(from, 0), bound(to, length)]
  const stride = by === null ? 1 : by
  if (typeof stride !== "number" || !Number.isInteger(stride) || stride < 1)
    return machine.fail(at, "the step of a slice is a whole number above zero")
  if (typeof of === "string") {
    const whole = part(of, start, stop)
    return stride === 1 ? whole : characters(whole).filter((_, n) => n % stride === 0).join("")
  }
  return new ArrayValue(of.items.slice(start, stop).filter((_, n) => n % stride === 0))
}
