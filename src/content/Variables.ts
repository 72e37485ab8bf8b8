import type { Value } from "#schemas/Json.ts"
import type { Budget } from "#src/content/Budget.ts"
import * as Mrkdwn from "#src/content/chat/Mrkdwn.ts"
import { shield, shieldLines } from "#src/content/Inline.ts"
import { memo } from "#src/cache/Memo.ts"
import { keysOf, member } from "#src/content/Own.ts"
import { parse } from "#src/content/template/Parser.ts"
import { isTemplate } from "#src/content/template/Tags.ts"
import type { Program } from "#src/content/template/Program.ts"
import type { Translate } from "#src/content/template/Helper.ts"
import { type Root, run, type Writer } from "#src/content/template/Run.ts"
import { Result, type Schema } from "effect"

/** The variables that `{{…}}` can use (api.md 2.6). */
export interface Scope {
  readonly data: Schema.JsonObject
  readonly profile: Schema.JsonObject
  /**
   * `recipient`, `messageId`, `tenant`, `courier` and whatever else the engine itself knows. Computed on demand, since
   * most templates use none of it.
   */
  readonly system: () => Schema.JsonObject
  /** The named elements before this one. */
  readonly refs: Schema.JsonObject
  /** The values that templates of this message have named by `set`. */
  readonly set: Map<string, Value>
  /** `$.item` and `$.index` of the enclosing loop. */
  readonly loop: Schema.JsonObject | undefined
  readonly translate: Translate
  /** A snippet of the brand, by its name. */
  readonly snippet: (name: string) => string | undefined
  /** Whether a missing variable fails the rendering; otherwise it is an empty text. */
  readonly throwing: boolean
}

const remembered = memo({ entries: 1_024, characters: 1_048_576 }, parse)

/** A template as a program. If it is malformed, that fails the budget. `of`: whose template it is. */
const programOf = (source: string, budget: Budget, of = ""): Program | undefined => {
  const program = remembered(source, (amount) => budget.look(amount))
  if (program === undefined) return undefined
  if (Result.isSuccess(program)) return program.success
  budget.fail(`${of}${program.failure.detail}`)
  return undefined
}

const withLoop = (scope: Scope): Schema.JsonObject => ({
  ...scope.system(),
  refs: scope.refs,
  data: scope.data,
  profile: scope.profile,
  ...scope.loop
})

const reserved = ["$", "brand", "data", "event", "profile", "recipient", "refs", "urls"]

/** How many names the templates of one message may `set`. */
const mostSet = 256

/**
 * Where paths begin: `data`, `profile` and `$` are what they say; any other name is one that was `set`, or else a key
 * of the data, or else one that the engine knows.
 */
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
        if (scope.set.has(name)) return scope.set.get(name)
        if (Object.hasOwn(scope.data, name)) return member(scope.data, name)
        return name === "refs" ? scope.refs : member(scope.system(), name)
    }
  },
  set: (name, value) => {
    if (name === "" || reserved.includes(name)) return false
    if (scope.set.size >= mostSet && !scope.set.has(name)) return false
    scope.set.set(name, value)
    return true
  },
  translate: scope.translate,
  profile: scope.profile,
  snippet: scope.snippet,
  parse: programOf,
  throwing: scope.throwing
})

const same = (text: string): string => text

/**
 * How values are written, by the markup that their text must not trigger: that of `inline`, of `Markdown`, none, or
 * Slack's mrkdwn.
 */
export const writers = {
  inline: (budget: Budget): Writer => ({ text: same, value: (text) => shield(text, budget) }),
  markdown: (budget: Budget): Writer => ({ text: same, value: (text) => shieldLines(text, budget) }),
  plain: (): Writer => ({ text: same, value: same }),
  mrkdwn: (): Writer => ({ text: same, value: Mrkdwn.escape })
} as const

/**
 * Fills in a template; a text without a tag is answered as it is. If the budget fails, it answers what was written so
 * far. Parsing is paid for, since a rendering may have more templates than are cached.
 */
export const fill = (source: string, scope: Scope, budget: Budget, writer: Writer): string => {
  if (!isTemplate(source)) return budget.write(source.length) ? writer.text(source) : ""
  const program = programOf(source, budget)
  return program === undefined ? "" : run(program, rootOf(scope), budget, writer)
}

/** Braces as templates have them, around a whole path. */
const braced = /^\s*\{\{([^{}]*)\}\}\s*$/

/** The value of a path as `loop` spells it: `data.items`, `items`, `$.item.children`, also in braces (`{{items}}`). */
export const valueAt = (path: string, scope: Scope): Value => {
  const [first = "", ...rest] = keysOf(path.replace(braced, "$1").trim())
  return rest.reduce<Value>((value, key) => member(value, key), rootOf(scope).named(first))
}
