import { Budget } from "#src/content/Budget.ts"
import { fill, type Scope, writers } from "#src/content/Variables.ts"
import { nothing } from "#test/src/content/Scopes.ts"
import { Result, type Schema } from "effect"
import Handlebars from "handlebars"

const handlebars = Handlebars.create()

const textOf = (value: unknown): string => value === undefined || value === null ? "" : String(value)

handlebars.registerHelper("default", (value: unknown, otherwise: unknown) => value ?? otherwise)
handlebars.registerHelper("concat", (...words: ReadonlyArray<unknown>) => {
  const { hash } = Object(words.at(-1))
  return words.slice(0, -1).map(textOf).join(textOf(hash["separator"]))
})

/** Whether it can read a template, whose helpers it may not know. */
export const reads = (source: string): boolean => Result.isSuccess(Result.try(() => Handlebars.parse(source)))

/** What Handlebars itself makes of a template, with two of our helpers. */
export const theirs = (source: string, data: Schema.JsonObject): string | undefined =>
  Result.getOrUndefined(Result.try(() => handlebars.compile(source, { noEscape: true })(data)))

/** What ours makes of it, or why it does not. */
export const ours = (source: string, scope: Partial<Scope>): string => {
  const budget = new Budget()
  const filled = fill(source, { ...nothing, set: new Map(), ...scope }, budget, writers.plain())
  return budget.failure?.detail ?? filled
}
