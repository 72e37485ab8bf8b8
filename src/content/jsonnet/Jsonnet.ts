import type { Budget } from "#src/content/Budget.ts"
import { known, surroundings } from "#src/content/jsonnet/Globals.ts"
import { parse } from "#src/content/jsonnet/Parser.ts"
import { run } from "#src/content/jsonnet/Run.ts"
import { memo } from "#src/content/Memo.ts"
import type { Scope } from "#src/content/Variables.ts"
import { Result, type Schema } from "effect"

/** A parsed program is some fifty times as large as its source. */
const remembered = memo({ entries: 256, characters: 262_144 }, (source) => parse(source, known))

/** Characters that are parsed in the time of a step. */
const read = 4

/**
 * What a program of the Jsonnet language makes of a message's data, as JSON. A wrong one, and one that takes too long, too much or goes too
 * deep, fails the budget, with the place in the program; then there is nothing. It sees nothing but the scope (`Globals`), imports nothing,
 * and its own text is never filled in, so that data stays data.
 */
export const evaluate = (source: string, scope: Scope, budget: Budget): Schema.Json | undefined => {
  // Paid for whether it is remembered or not, so that the same message always does the same.
  if (!budget.look(source.length) || !budget.step(source.length / read >> 0)) return undefined
  const program = remembered(source)
  if (Result.isSuccess(program)) return run(program.success, (machine) => surroundings(scope, machine), budget)
  budget.fail(program.failure.detail)
  return undefined
}
