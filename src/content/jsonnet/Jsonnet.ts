import type { Budget } from "#src/content/Budget.ts"
import { known, surroundings } from "#src/content/jsonnet/Globals.ts"
import { parse } from "#src/content/jsonnet/Parser.ts"
import { run } from "#src/content/jsonnet/Run.ts"
import { memo } from "#src/cache/Memo.ts"
import type { Scope } from "#src/content/Variables.ts"
import { Result, type Schema } from "effect"

/** Cache of parsed programs, each about fifty times as large as its source. */
const remembered = memo({ entries: 256, characters: 262_144 }, (source) => parse(source, known))

/** How many characters are parsed in the time of one step. */
const read = 4

/**
 * Evaluates a program of the Jsonnet language over a message's data, and answers its JSON. If the program is malformed,
 * runs too long, makes too much or nests too deeply, it fails the budget, naming the place in the program, and answers
 * `undefined`. A program sees nothing but the scope (`Globals`), and imports nothing. Its own text is never filled in,
 * so that data stays data.
 */
export const evaluate = (source: string, scope: Scope, budget: Budget): Schema.Json | undefined => {
  // Charged even on a cache hit, so that the same message always has the same outcome.
  if (!budget.look(source.length) || !budget.step(source.length / read >> 0)) return undefined
  const program = remembered(source)
  if (Result.isSuccess(program)) return run(program.success, (machine) => surroundings(scope, machine), budget)
  budget.fail(program.failure.detail)
  return undefined
}
