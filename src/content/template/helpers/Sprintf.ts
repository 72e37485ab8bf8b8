import { start } from "#src/content/Cut.ts"
import { numberOf } from "#src/content/template/helpers/Numbers.ts"

/** A filling character is one UTF-16 unit, so that a width never leaves half of a surrogate pair. */
const directive =
  /%(?:(\d{1,2})\$)?([-+0]*)(?:'([^\u{10000}-\u{10ffff}]))?(\d{1,3})?(?:\.(\d{1,2}))?([%bcdeEfFgiosuxX])|%/gu

const radices: ReadonlyMap<string, number> = new Map([["b", 2], ["o", 8], ["x", 16], ["X", 16]])

const shown = (kind: string, value: number, precision: number | undefined): string | undefined => {
  const radix = radices.get(kind)
  if (radix !== undefined) return (Math.trunc(value) >>> 0).toString(radix)
  switch (kind) {
    case "d":
    case "i":
      return String(Math.trunc(value) + 0)
    case "u":
      return String(Math.trunc(value) >>> 0)
    case "e":
    case "E":
      return value.toExponential(precision)
    case "f":
    case "F":
      return precision === undefined ? String(value) : value.toFixed(precision)
    case "g":
      return precision === undefined ? String(value) : String(Number(value.toPrecision(Math.max(1, precision))))
    case "c":
      return value >= 0 && value <= 0x10ffff ? String.fromCodePoint(Math.trunc(value)) : undefined
    default:
      return undefined
  }
}

const longest = 4_096

/**
 * C's `sprintf`, with widths below 1,000 and precisions below 100. `undefined` if the format is invalid, a value is
 * missing or not a number, or the result would exceed `room` by more than one value.
 */
export const sprintf = (pattern: string, values: ReadonlyArray<string>, room: number): string | undefined => {
  let next = 0
  let left = room
  let fits = pattern.length <= longest

  const one = (whole: string, groups: ReadonlyArray<string | undefined>): string => {
    const [position, flags = "", fill, width, precision, kind] = groups
    if (kind === "%") return "%"
    const value = values[position === undefined ? next++ : Number(position) - 1]
    const digits = precision === undefined ? undefined : Number(precision)
    const number = value === undefined ? undefined : numberOf(value)
    const text = kind === undefined || value === undefined
      ? undefined
      : kind === "s"
      ? start(value, digits ?? Infinity)
      : number === undefined
      ? undefined
      : shown(kind, number, digits)
    fits &&= text !== undefined && left >= 0
    if (text === undefined || !fits) return whole
    left -= Math.max(text.length, Number(width ?? 0))
    const signed = kind !== "s" && flags.includes("+") && !text.startsWith("-") ? `+${text}` : text
    const cased = kind === "X" || kind === "E" ? signed.toUpperCase() : signed
    const wide = Number(width ?? 0)
    if (flags.includes("-")) return cased.padEnd(wide, " ")
    if (!flags.includes("0") || kind === "s") return cased.padStart(wide, fill ?? " ")
    const sign = /^[+-]/.exec(cased)?.[0] ?? ""
    return sign + cased.slice(sign.length).padStart(wide - sign.length, "0")
  }

  const made = pattern.replace(directive, (whole, ...groups) => one(whole, groups.slice(0, 6)))
  return fits ? made : undefined
}
