import { exponential, fixed, general, type Layout, whole } from "#src/content/jsonnet/Numerals.ts"
import { member } from "#src/content/jsonnet/Objects.ts"
import { lengthOf } from "#src/content/jsonnet/Text.ts"
import { ArrayValue, type Machine, named, ObjectValue, type Value } from "#src/content/jsonnet/Value.ts"

const directive = /%(?:\(([^)]*)\))?([-#0 +]*)(\*|\d{1,9})?(?:\.(\*|\d{1,9}))?[hlL]?([diuoxXeEfFgGcs%])/y

/** The most digits that a number may be formatted with. */
const mostDigits = 100

/** The widest field, in characters. */
const widest = 65_536

/** `text % values` and `std.format`: Python 2's formats. An array gives its values in order, an object by name. */
export const format = (machine: Machine, pattern: string, values: Value, at: number): string | null => {
  const row = values instanceof ArrayValue ? values.items : [values]
  const isNamed = values instanceof ObjectValue
  let next = 0
  let text = ""

  const say = (said: string): boolean => {
    if (!machine.look(said.length) || !machine.step()) return false
    text += said
    return true
  }

  const taken = (): Value => {
    const slot = row[next++]
    return slot === undefined
      ? machine.fail(at, `the format needs more than ${row.length} values`)
      : machine.force(slot, at)
  }

  const called = (name: string | undefined): Value => {
    if (!isNamed) return name === undefined ? taken() : machine.fail(at, "a format with names needs an object")
    if (name === undefined) return machine.fail(at, "a format for an object needs names")
    return member(machine, values, name, at) ?? machine.fail(at, `the format finds no field "${name.slice(0, 80)}"`)
  }

  const numberOf = (value: Value, kind: string): number => {
    if (typeof value === "number") return value
    machine.fail(at, `%${kind} needs a number, and not ${named(value)}`)
    return 0
  }

  const size = (written: string | undefined, most: number): number | undefined => {
    if (written === undefined) return undefined
    const value = written === "*"
      ? isNamed ? machine.fail(at, "a format for an object has no *") : taken()
      : Number(written)
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value
    machine.fail(at, `a width or precision of a format is a whole number up to ${most}`)
    return 0
  }

  const shown = (kind: string, value: Value, flags: string, width: number, precision: number | undefined): string => {
    if (kind === "s") return machine.text(value, at)
    if (kind === "c") {
      if (typeof value === "string" && lengthOf(value) === 1) return value
      if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0x10ffff)
        return String.fromCodePoint(value)
      machine.fail(at, "%c needs one character")
      return ""
    }
    const number = numberOf(value, kind)
    const [lower, alt] = [kind.toLowerCase(), flags.includes("#")]
    const isWhole = !"efg".includes(lower)
    const layout: Layout = {
      negative: isWhole ? number <= -1 : number < 0,
      zeros: flags.includes("0") && !flags.includes("-") ? width : 0,
      plus: flags.includes("+"),
      blank: flags.includes(" ")
    }
    const amount = Math.abs(number)
    const made = isWhole
      ? whole(Math.floor(amount), lower === "o" ? 8 : lower === "x" ? 16 : 10, precision ?? 0, alt, layout)
      : (lower === "f" ? fixed : lower === "e" ? exponential : general)(amount, precision ?? 6, alt, layout)
    return lower === kind ? made : made.toUpperCase()
  }

  for (let from = 0; from < pattern.length;) {
    const to = pattern.indexOf("%", from)
    if (!say(pattern.slice(from, to < 0 ? pattern.length : to))) return null
    if (to < 0) break
    directive.lastIndex = to
    const found = directive.exec(pattern)
    if (found === null) return machine.fail(at, `"${pattern.slice(to, to + 20)}" is no format`)
    from = to + found[0].length
    const [, name, flags = "", wide, precise, kind = ""] = found
    const width = size(wide, widest) ?? 0
    const precision = size(precise, mostDigits)
    if (!machine.look(width)) return null
    const said = kind === "%" ? "%" : shown(kind, called(name), flags, width, precision)
    const padding = " ".repeat(Math.max(0, width - lengthOf(said)))
    if (!say(flags.includes("-") ? said + padding : padding + said)) return null
  }
  if (!isNamed && next < row.length)
    return machine.fail(at, `the format has place for ${next} values, not ${row.length}`)
  return text
}
