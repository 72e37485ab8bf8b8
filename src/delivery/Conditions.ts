import { memo } from "#src/content/Memo.ts"
import { type Context, isTrue, valueOf } from "#src/delivery/conditions/Evaluate.ts"
import type { InvalidCondition } from "#src/delivery/conditions/InvalidCondition.ts"
import { parse } from "#src/delivery/conditions/Parser.ts"
import { Result } from "effect"

const remembered = memo({ entries: 1_024, characters: 262_144 }, parse)

/**
 * Whether an `if` string holds (api.md 2.3): a JavaScript expression of paths, literals, comparisons, `&&`, `||`, `!`, `? :`, `.length`,
 * `.includes(x)`, `.startsWith(x)` and `.endsWith(x)` over `data`, `profile`, `refs` and `$`; another name is a key of `data`. Only own keys
 * are seen, and what is missing is `undefined` and never a failure. At most 4,096 characters, nested at most 64 deep.
 */
export const evaluate = (expression: string, context: Context): Result.Result<boolean, InvalidCondition> =>
  Result.map(remembered(expression), (parsed) => isTrue(valueOf(parsed, context)))
