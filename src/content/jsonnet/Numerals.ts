import { numeral } from "#src/content/jsonnet/Text.ts"

/** The layout of a number. */
export interface Layout {
  readonly negative: boolean
  /** Pads with zeros to this many characters, sign included. */
  readonly zeros: number
  readonly plus: boolean
  readonly blank: boolean
}

/** The sign, the prefix and the digits, with zeros between them up to the width. */
const signed = (digits: string, prefix: string, { blank, negative, plus, zeros }: Layout): string => {
  const sign = negative ? "-" : plus ? "+" : blank ? " " : ""
  return sign + prefix + digits.padStart(zeros - sign.length - prefix.length, "0")
}

/** A whole number in a base, with at least `least` digits; with `alt`, with the base's prefix. `size` has no sign. */
export const whole = (size: number, base: 8 | 10 | 16, least: number, alt: boolean, layout: Layout): string => {
  const digits = BigInt(size).toString(base)
  const marked = alt && base === 8 && size > 0 ? `0${digits}` : digits
  return signed(marked.padStart(least, "0"), alt && base === 16 ? "0x" : "", layout)
}

const withPoint = (text: string, keepsPoint: boolean): string => keepsPoint && !text.includes(".") ? `${text}.` : text

/** Drops zeros at the end of the fraction. */
const cut = (text: string): string => text.includes(".") ? text.replace(/\.?0+$/, "") : text

/** The most decimal places that `toFixed` writes. */
const mostPlaces = 100

const decimals = (size: number, places: number): string =>
  // Such a number has no fraction, and toFixed would write an exponent.
  size >= 1e21 ? `${numeral(size)}${places > 0 ? `.${"0".repeat(places)}` : ""}` : size.toFixed(places)

const powers = (size: number, places: number): readonly [digits: string, power: string] => {
  const [digits = "", power = "+0"] = size.toExponential(places).split("e")
  return [digits, `e${power.charAt(0)}${power.slice(1).padStart(2, "0")}`]
}

/** A number with this many decimal places; with `alt`, always with a point. */
export const fixed = (size: number, places: number, alt: boolean, layout: Layout): string =>
  signed(withPoint(decimals(size, places), alt), "", layout)

export const exponential = (size: number, places: number, alt: boolean, layout: Layout): string => {
  const [digits, power] = powers(size, places)
  return signed(withPoint(digits, alt) + power, "", layout)
}

/**
 * A number with this many significant digits, with or without an exponent, as C's `%g`; with `alt`, zeros at the end
 * stay.
 */
export const general = (size: number, precision: number, alt: boolean, layout: Layout): string => {
  const digits = Math.max(1, precision)
  const power = Number(size.toExponential(digits - 1).split("e")[1])
  if (power < -4 || power >= digits) {
    const [made, exponent] = powers(size, digits - 1)
    return signed((alt ? withPoint(made, true) : cut(made)) + exponent, "", layout)
  }
  const made = decimals(size, Math.min(mostPlaces, Math.max(0, digits - 1 - power)))
  return signed(alt ? withPoint(made, true) : cut(made), "", layout)
}
