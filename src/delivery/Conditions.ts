import { memo } from "#src/cache/Memo.ts"
import { type Context, isTrue, valueOf } from "#src/delivery/conditions/Evaluate.ts"
import { InvalidCondition } from "#src/delivery/conditions/InvalidCondition.ts"
import { parse } from "#src/delivery/conditions/Parser.ts"
import * as Scan from "#src/delivery/conditions/Scan.ts"
import { Result } from "effect"

/** What it takes to parse a character, compared to looking at one. */
const costOfParsing = 16

const remembered = memo({ entries: 1_024, characters: 262_144 }, (expression, scan: Scan.Scan) => {
  scan.left -= costOfParsing * expression.length
  return parse(expression)
})

/**
 * Whether an `if` string holds (api.md 2.3): a JavaScript expression of paths, literals, comparisons, `&&`, `||`, `!`,
 * `? :`, `.length`, `.includes(x)`, `.startsWith(x)` and `.endsWith(x)` over `data`, `profile`, `refs` and `$`; another
 * name is a key of `data`. Only own keys are seen, and what is missing is `undefined`, never a failure. At most 4,096
 * characters, nested at most 64 deep; `scan` bounds how much several conditions may search and compare together. One
 * that searches nothing takes time as well: its length counts.
 */
export const evaluate = (
  expression: string,
  context: Context,
  scan: Scan.Scan = Scan.make()
): Result.Result<boolean, InvalidCondition> => {
  const tooMuch = () => Result.fail(new InvalidCondition({ detail: "The condition looks through too much data" }))
  scan.left -= expression.length
  if (scan.left < 0) return tooMuch()
  return Result.flatMap(remembered(expression, scan), (parsed) => {
    const holds = isTrue(valueOf(parsed, { ...context, scan }))
    return scan.left < 0 ? tooMuch() : Result.succeed(holds)
  })
}
