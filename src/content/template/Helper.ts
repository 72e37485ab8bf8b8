import { isList, type Value } from "#schemas/Json.ts"
import type { Lookup } from "#src/content/Catalogue.ts"
import type { Budget } from "#src/content/Budget.ts"
import { textOf } from "#src/content/Own.ts"
import type { Schema } from "effect"

/** Finds a text in the recipient's language, by its key, its context, and the number that selects a plural form. */
export type Translate = (key: string, lookup: Lookup) => string | undefined

/** What a helper can see and change besides its arguments. It has no clock, network, files or environment. */
export interface Surroundings {
  readonly budget: Budget
  /**
   * The value of a path given as text, `profile.address.city` or `$.items[0].name`, looked up from the current context
   * and then from the top; after `$`, from the top alone.
   */
  readonly at: (path: string) => Value
  /** Names a value for the rest of the message. */
  readonly set: (name: string, value: Value) => void
  readonly translate: Translate
  readonly profile: Schema.JsonObject
  /** Reports that there is nothing at a path whose value was to be written. */
  readonly missing: (path: string) => void
}

/** A function of templates. If it fails, it tells the budget and answers `undefined`. */
export type Helper = (
  words: ReadonlyArray<Value>,
  named: ReadonlyMap<string, Value>,
  around: Surroundings
) => Value

/** Truthiness as in Handlebars: an empty list is false, too. */
export const isSomething = (value: Value): boolean => Boolean(value) && !(isList(value) && value.length === 0)

/** An argument as text, charged by its length. */
export const text = (value: Value, { budget }: Surroundings): string => {
  const said = textOf(value, (characters) => budget.look(characters))
  return budget.look(said.length) ? said : ""
}
