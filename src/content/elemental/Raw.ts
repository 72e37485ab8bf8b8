import { isList, isObject, type Value } from "#schemas/Json.ts"
import { type Budget, limits } from "#src/content/Budget.ts"
import * as JsonText from "#src/content/elemental/JsonText.ts"
import { contexts } from "#src/content/html/Contexts.ts"
import { fill, type Scope, writers } from "#src/content/Variables.ts"
import type { Schema } from "effect"

/**
 * What an author wrote in a channel's native form, with variables filled in: texts by their key, and other JSON as it
 * is.
 */
export type Raw = Schema.JsonObject

const transformers = ["handlebars", "mjml"]

/** Whether its `html` is MJML, which becomes HTML only when it is compiled. */
export const isMjml = (own: Schema.JsonObject): boolean => {
  const named: Value = own["transformers"]
  return isList(named) && named.includes("mjml") && typeof own["html"] === "string"
}

/** Whether it is a text object that Slack parses for links, mentions and commands. */
const isMrkdwn = ({ type }: Schema.JsonObject): boolean => type === "mrkdwn"

/** What may be written as JSON text, too: Slack takes its blocks so. */
const asText = "slackBlocks"

/**
 * Fills in every text of a `channel` element's `raw`. Data is escaped in its `html`, in JSON text, and in texts that
 * Slack reads as mrkdwn. A form that we do not support fails the budget.
 */
export const raw = (own: Schema.JsonObject, scope: Scope, budget: Budget): Raw => {
  const filled = (value: Schema.Json, depth: number, writer = writers.plain()): Schema.Json => {
    if (!budget.step()) return null
    if (typeof value === "string") return fill(value, scope, budget, writer)
    if (depth > limits.depth) {
      budget.fail(`Raw content is nested more than ${limits.depth} deep`)
      return null
    }
    if (isList(value)) return value.map((item) => filled(item, depth + 1))
    return isObject(value)
      ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
          key,
          filled(item, depth + 1, key === "text" && isMrkdwn(value) ? writers.mrkdwn() : undefined)
        ])
      )
      : value
  }

  const named: Value = own["transformers"]
  if (isList(named) && named.some((name) => typeof name !== "string" || !transformers.includes(name))) {
    budget.fail("Raw content can only be transformed by handlebars and mjml")
    return {}
  }
  const written = (text: string): Schema.Json | undefined => {
    const json = fill(text, scope, budget, JsonText.writer())
    return json.trim() === "" ? undefined : JsonText.read(json, asText, budget)
  }
  const made = (key: string, value: Schema.Json): Schema.Json | undefined => {
    if (typeof value !== "string") return filled(value, 0)
    if (key === asText) return written(value)
    return fill(value, scope, budget, key === "html" ? contexts(budget) : writers.plain())
  }
  return Object.fromEntries(
    Object.entries(own).flatMap(([key, value]) => {
      const one = key === "transformers" ? undefined : made(key, value)
      return one === undefined ? [] : [[key, one]]
    })
  )
}
