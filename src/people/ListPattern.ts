import { maxParts } from "#schemas/List.ts"
import * as Text from "#schemas/Text.ts"
import { Effect, Schema } from "effect"

/** Not a valid pattern of list ids: 400. */
export class InvalidPattern extends Schema.TaggedError<InvalidPattern>()("InvalidPattern", { detail: Schema.String }) {}

/** Which lists a pattern names (api.md 7). */
export interface ListPattern {
  readonly text: string
  /** The pattern as a regular expression that JavaScript and Postgres's `~` read alike. */
  readonly expression: string
  /** Every id that matches starts with it. */
  readonly prefix: string
}

const special = /[\\^$.|?*+()[\]{}]/g

const expressionOf = (part: string): string => part === "*" ? "[^.]+" : part.replaceAll(special, "\\$&")

const faultOf = (text: string): string | undefined => {
  const parts = text.split(".")
  if (!Text.isStorable(text)) return "is not text"
  if (/[#\s]/u.test(text)) return "holds # or white space"
  if (parts.includes("")) return "has a leading, trailing or doubled dot"
  if (parts.length > maxParts) return `has more than ${maxParts} parts`
  if (parts.slice(0, -1).includes("**")) return "has ** before its last part"
  if (parts.some((part) => part.includes("*") && part !== "*" && part !== "**")) return "has a * within a part"
  const literals = parts.filter((part) => !part.startsWith("*")).length
  if (literals === 0 && parts.at(-1) === "**") return "has ** but no part of its own"
  return literals === 0 && parts.length === maxParts ? "has only wildcards" : undefined
}

/**
 * Parses a pattern: `*` stands for exactly one part, `**` at the end for one or more; an id without either names
 * itself. The other parts follow the rules of list ids.
 */
export const parse = (text: string): Effect.Effect<ListPattern, InvalidPattern> => {
  const fault = text.length > 512 ? "is longer than 512 characters" : faultOf(text)
  if (fault !== undefined) return Effect.fail(new InvalidPattern({ detail: `The pattern ${fault}` }))
  const parts = text.split(".")
  const wild = parts.findIndex((part) => part.startsWith("*"))
  const below = parts.at(-1) === "**"
  const expression = (below ? parts.slice(0, -1) : parts).map(expressionOf).join("\\.")
  return Effect.succeed({
    text,
    expression: `^${expression}${below ? "(\\.[^.]+)+" : ""}$`,
    prefix: wild < 0 ? text : parts.slice(0, wild).map((part) => `${part}.`).join("")
  })
}

export const matches = (pattern: ListPattern, id: string): boolean => new RegExp(pattern.expression, "u").test(id)
