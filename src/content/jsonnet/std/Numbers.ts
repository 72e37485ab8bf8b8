import { finite } from "#src/content/jsonnet/Operators.ts"
import { define } from "#src/content/jsonnet/std/Arguments.ts"

const of = (name: string, compute: (x: number) => number, parameter = "x") =>
  define(name, parameter, (given) => finite(given.machine, compute(given.number(0)), given.at))

const both = (name: string, parameters: string, compute: (a: number, b: number) => number) =>
  define(name, parameters, (given) => finite(given.machine, compute(given.number(0), given.number(1)), given.at))

const asks = (name: string, holds: (x: number) => boolean) => define(name, "x", (given) => holds(given.number(0)))

/** A number as a mantissa from 0.5 up to 1, and a power of two. */
const parts = (x: number): readonly [mantissa: number, exponent: number] => {
  if (x === 0) return [0, 0]
  // The power of two that is above the greatest numbers is none itself.
  const power = Math.min(1023, Math.floor(Math.log2(Math.abs(x))))
  const mantissa = x / 2 ** power / 2
  // Just below a power of two, the logarithm is that of it.
  return Math.abs(mantissa) < 0.5 ? [mantissa * 2, power] : [mantissa, power + 1]
}

/** Half goes up, below zero too. */
const round = (x: number): number => Math.floor(x + 0.5)

/** Functions for numbers. An infinite result, or NaN, fails the program. */
export const numbers = [
  of("abs", Math.abs, "n"),
  of("sign", Math.sign, "n"),
  of("floor", Math.floor),
  of("ceil", Math.ceil),
  of("round", round),
  of("sqrt", Math.sqrt),
  of("exp", Math.exp),
  of("log", Math.log),
  of("log2", Math.log2),
  of("log10", Math.log10),
  of("sin", Math.sin),
  of("cos", Math.cos),
  of("tan", Math.tan),
  of("asin", Math.asin),
  of("acos", Math.acos),
  of("atan", Math.atan),
  of("deg2rad", (x) => x * Math.PI / 180),
  of("rad2deg", (x) => x * 180 / Math.PI),
  of("exponent", (x) => parts(x)[1]),
  of("mantissa", (x) => parts(x)[0]),
  both("max", "a b", Math.max),
  both("min", "a b", Math.min),
  both("pow", "x n", (x, n) => x ** n),
  both("atan2", "y x", Math.atan2),
  both("hypot", "a b", Math.hypot),
  define("modulo", "a b", (given) => {
    const by = given.number(1)
    return by === 0 ? given.fail("a division by zero") : finite(given.machine, given.number(0) % by, given.at)
  }),
  define("clamp", "x minVal maxVal", (given) => {
    const [x, least, most] = [given.number(0), given.number(1), given.number(2)]
    return x < least ? least : x > most ? most : x
  }),
  asks("isEven", (x) => round(x) % 2 === 0),
  asks("isOdd", (x) => round(x) % 2 !== 0),
  asks("isInteger", Number.isInteger),
  asks("isDecimal", (x) => !Number.isInteger(x)),
  define("xor", "x y", (given) => given.boolean(0) !== given.boolean(1)),
  define("xnor", "x y", (given) => given.boolean(0) === given.boolean(1))
]
