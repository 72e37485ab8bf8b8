import { Budget } from "#src/content/Budget.ts"
import { evaluate } from "#src/content/jsonnet/Jsonnet.ts"
import type { Scope } from "#src/content/Variables.ts"
import { nothing } from "#test/src/content/Scopes.ts"
import type { Schema } from "effect"

/** What a program makes, or the sentence with which it fails, on a budget of its own. */
export const outcome = (
  program: string,
  given: Partial<Scope> = {}
): { readonly value: Schema.Json | undefined } | { readonly failure: string } => {
  const budget = new Budget()
  const value = evaluate(program, { ...nothing, ...given }, budget)
  return budget.failure === undefined ? { value } : { failure: budget.failure.detail }
}

/** What a program makes, or its failure, for comparisons. */
export const made = (program: string, given?: Partial<Scope>): Schema.Json | undefined => {
  const found = outcome(program, given)
  return "value" in found ? found.value : { failed: found.failure }
}

export const failure = (program: string, given?: Partial<Scope>): string => {
  const found = outcome(program, given)
  return "failure" in found ? found.failure : "none"
}
