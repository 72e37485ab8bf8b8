import type { Value } from "#schemas/Json.ts"
import { textOf } from "#src/content/Own.ts"
import type { Helper, Surroundings } from "#src/content/template/Helper.ts"

/** A number, or a text that is one. */
export const numberOf = (value: Value): number | undefined => {
  if (typeof value === "number") return value
  return typeof value === "string" && value.length < 64 && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value)
    ? Number(value)
    : undefined
}

const counted = (name: string, made: number, { budget }: Surroundings): number | undefined => {
  if (Number.isFinite(made)) return made
  budget.fail(`${name}: there is no such number`)
  return undefined
}

const given = (name: string, value: Value, { budget }: Surroundings): number => {
  const number = numberOf(value)
  if (number === undefined) budget.fail(`${name}: "${textOf(value).slice(0, 80)}" is not a number`)
  return number ?? Number.NaN
}

const one = (name: string, of: (value: number) => number): Helper => ([value], _, around) =>
  counted(name, of(given(name, value, around)), around)

const two = (name: string, of: (left: number, right: number) => number): Helper => ([left, right], _, around) =>
  counted(name, of(given(name, left, around), given(name, right, around)), around)

const subtract = (left: number, right: number): number => left - right

export const numbers: Readonly<Record<string, Helper>> = {
  "abs": one("abs", Math.abs),
  "add": two("add", (left, right) => left + right),
  "ceil": one("ceil", (value) => Math.ceil(value) + 0),
  "divide": two("divide", (left, right) => left / right),
  "floor": one("floor", Math.floor),
  "inc": one("inc", (value) => value + 1),
  "mod": two("mod", (left, right) => left % right),
  "multiply": two("multiply", (left, right) => left * right),
  "product": two("product", (left, right) => left * right),
  // Rounds halves away from zero.
  "round": one("round", (value) => Math.sign(value) * Math.round(Math.abs(value))),
  "sub": two("sub", subtract),
  "subtract": two("subtract", subtract)
}
