import { isList, isObject } from "#schemas/Json.ts"
import { type Budget, limits } from "#src/content/Budget.ts"
import * as Mrkdwn from "#src/content/chat/Mrkdwn.ts"
import { nestsDeeper } from "#src/content/Nesting.ts"
import type { Writer } from "#src/content/template/Run.ts"
import { Option, Schema } from "effect"

/** Around each value, so that it is known in the JSON that is read; dropped from values themselves. */
const [opening, closing] = ["\uFDD9", "\uFDDB"]
const edges = /[\uFDD9\uFDDB]/g
const shielded = /\uFDD9([^\uFDD9\uFDDB]*)\uFDDB/g

const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/**
 * Writes values into JSON text: as a part of the string that they stand in, else as a number, a truth value or a string
 * of their own. So no value ends a string or begins an object.
 */
export const writer = (): Writer => {
  let isInside = false
  let isEscaped = false
  return {
    text: (text) => {
      const from = isEscaped && text !== "" ? 1 : 0
      if (from === 1) isEscaped = false
      for (const [mark] of text.slice(from).matchAll(/\\[\s\S]?|"/g)) {
        if (mark === "\"") isInside = !isInside
        else isEscaped = mark.length === 1
      }
      return text
    },
    value: (value) => {
      const quoted = JSON.stringify(`${opening}${value.replaceAll(edges, "")}${closing}`)
      if (!isInside) return literal.test(value) ? value : quoted
      // A backslash before a value is one of the text.
      const before = isEscaped ? "\\" : ""
      isEscaped = false
      return before + quoted.slice(1, -1)
    }
  }
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** A text of the JSON without the edges of values; in mrkdwn, these are escaped. */
const plain = (text: string, isMrkdwn: boolean): string =>
  (isMrkdwn ? text.replace(shielded, (_, value: string) => Mrkdwn.escape(value)) : text).replace(edges, "")

const filled = (value: Schema.Json, isMrkdwn: boolean): Schema.Json => {
  if (typeof value === "string") return plain(value, isMrkdwn)
  if (isList(value)) return value.map((item) => filled(item, false))
  return isObject(value)
    ? Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        plain(key, false),
        filled(item, key === "text" && value["type"] === "mrkdwn")
      ])
    )
    : value
}

/** Reads the JSON that was written by `writer`; fails the budget where it is none, which `name` tells. */
export const read = (json: string, name: string, budget: Budget): Schema.Json => {
  if (!budget.look(json.length)) return null
  const found = nestsDeeper(json, limits.depth) ? Option.none() : decode(json)
  if (Option.isSome(found)) return filled(found.value, false)
  budget.fail(`The text of ${name} is no JSON, or is nested more than ${limits.depth} deep`)
  return null
}
