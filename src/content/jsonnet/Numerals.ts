import { numeral } from "#src/content/jsonnet/Text.ts"

/** How a number is to be laid out. */
export interface Layout {
  readonly negative: boolean
  /** Digits are filled up to so many characters, sign included. */
  readonly zeros: number
  readonly plus: boolean
  readonly blank: boolean
}

/** The sign and the digits, with zeros between them up to the width. */
const signed = (digits: string, prefix: string, { blank, negative, plus, zeros }: Layout): string => {
  const sign = negative ? "-" : plus ? "+" : blank ? " " : ""
  return sign + prefix + digits.padStart(zeros - sign.length - prefix.length, "0")
}

/** A whole number in a base, of at least so many digits, with `alt` marked as one of its base. `size` is without sign. */
export const whole = (size: number, base: 8 | 10 | 16, least: number, alt: boolean, layout: Layout): string => {
  const digits = BigInt(size).toString(base)
  const marked = alt && base === 8 && size > 0 ? `0${digits}` : digits
  return signed(marked.padStart(least, "0"), alt && base === 16 && size > 0 ? "0x" : "", layout)
}

const withPoint = (text: string, keepsPoint: boolean): string => keepsPoint && !text.includes(".") ? `${text}.` : text

/** Without zeros at the end of what is behind the point. */
const cut = (text: string): string => text.includes(".") ? text.replace(/\.?0+$/, "") : text

const decimals = (size: number, places: number): string =>
  // From there on a number has no digits behind the point, and toFixed would show an exponent.
  size >= 1e21 ? `${numeral(size)}${places > 0 ? `.${"0".repeat(places)}` : ""}` : size.toFixed(places)

const powers = (size: number, places: number): readonly [digits: string, power: string] => {
  const [digits = "", power = "+0"] = size.toExponential(places).split("e")
  return [digits, `e${power.charAt(0)}${power.slice(1).padStart(2, "0")}`]
}

/** So many places behind the point; with `alt` there is a point in any case. */
export const fixed = (size: number, places: number, alt: boolean, layout: Layout): string =>
  signed(withPoint(decimals(size, places), alt), "", layout)

export const exponential = (size: number, places: number, alt: boolean, layout: Layout): string => {
  const [digits, power] = powers(size, places)
  return signed(withPoint(digits, alt) + power, "", layout)
}

/** So many digits in all, in whichever form is shorter; with `alt` zeros at the end stay. */
export const general = (size: number, precision: number, alt: boolean, layout: Layout): string => {
  const digits = Math.max(1, precision)
  const power = size === 0 ? 0 : Number(size.toExponential(Math.min(100, digits - 1)).split("e")[1])
  if (power < -4 || power >= digits) {
    const [made, exponent] = powers(size, digits - 1)
    return signed((alt ? withPoint(made, true) : cut(made)) + exponent, "", layout)
  }
  const made = decimals(size, Math.max(0, digits - 1 - power))
  return signed(alt ? withPoint(made, true) : cut(made), "", layout)
}
