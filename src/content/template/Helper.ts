import { isList, type Value } from "#schemas/Json.ts"
import type { Lookup } from "#src/content/Catalogue.ts"
import type { Budget } from "#src/content/Budget.ts"
import { textOf } from "#src/content/Own.ts"

/** A text in the recipient's language, by its key, its context and the number that chooses among plural forms. */
export type Translate = (key: string, lookup: Lookup) => string | undefined

/** What a helper may see and change besides its arguments. It has no clock, network, files or environment. */
export interface Surroundings {
  readonly budget: Budget
  /** The value of a path written as text, `profile.address.city` or `$.items[0].name`, from here and then from the top. */
  readonly at: (path: string) => Value
  /** Gives a name to a value for the rest of the message. */
  readonly set: (name: string, value: Value) => void
  readonly translate: Translate
  /** Tells that there is nothing at a path that is written out. */
  readonly missing: (path: string) => void
}

/** A function of a template. What it cannot do it tells the budget, and answers nothing. */
export type Helper = (
  words: ReadonlyArray<Value>,
  named: ReadonlyMap<string, Value>,
  around: Surroundings
) => Value

/** Truth as Handlebars has it: an empty list is nothing. */
export const isSomething = (value: Value): boolean => Boolean(value) && !(isList(value) && value.length === 0)

/** An argument as a text, paid for by its length. */
export const text = (value: Value, { budget }: Surroundings): string => {
  const said = textOf(value, (characters) => budget.look(characters))
  return budget.look(said.length) ? said : ""
}
