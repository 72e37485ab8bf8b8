import type { Budget } from "#src/content/Budget.ts"
import { shield } from "#src/content/Inline.ts"
import { memo } from "#src/content/Memo.ts"
import { member, type Value } from "#src/content/Own.ts"
import { parse } from "#src/content/template/Parser.ts"
import { type Root, run } from "#src/content/template/Run.ts"
import { Result, type Schema } from "effect"

/** What `{{…}}` may speak of (api.md 2.6). */
export interface Scope {
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  /** `recipient`, `messageId`, `tenant`, `courier` and what else the engine itself knows. */
  readonly system: Schema.JsonObject
  /** The named elements before this one. */
  readonly refs: Schema.JsonObject
  /** `$.item` and `$.index` of the loop around. */
  readonly loop: Schema.JsonObject | undefined
}

const remembered = memo({ entries: 1_024, characters: 1_048_576 }, parse)

const withLoop = (scope: Scope): Schema.JsonObject => ({
  ...scope.system,
  refs: scope.refs,
  data: scope.data,
  profile: scope.profile,
  ...scope.loop
})

/** `data`, `profile` and `$` mean themselves; another name is a key of the data, or else one that the engine knows. */
export const rootOf = (scope: Scope): Root => ({
  self: scope.data,
  named: (name): Value => {
    switch (name) {
      case "data":
        return scope.data
      case "profile":
        return scope.profile
      case "$":
        return withLoop(scope)
      default:
        if (Object.hasOwn(scope.data, name)) return member(scope.data, name)
        return name === "refs" ? scope.refs : member(scope.system, name)
    }
  }
})

/**
 * Fills in a template; a text without `{{` is its own. Fails by the budget: it answers what came so far. `marks` tells what a value's own
 * markdown characters are: hidden from `inline`, or left alone where there is no markdown.
 */
export const fill = (source: string, scope: Scope, budget: Budget, marks: "hidden" | "kept"): string => {
  if (!source.includes("{{")) return budget.write(source.length) ? source : ""
  const program = remembered(source)
  if (Result.isFailure(program)) {
    budget.fail(program.failure.detail)
    return ""
  }
  return run(
    program.success,
    rootOf(scope),
    budget,
    marks === "hidden" ? (text) => shield(text, budget) : (text) => text
  )
}

/** The value of a path as `loop` names it: `data.items`, `items`, `$.item.children`. */
export const valueAt = (path: string, scope: Scope): Value => {
  const [first = "", ...rest] = path.trim().split(".")
  return rest.reduce<Value>((value, key) => member(value, key), rootOf(scope).named(first))
}
