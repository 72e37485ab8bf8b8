import { isOneLine } from "#layers/providers/Address.ts"
import { inAscii } from "#layers/providers/EncodedWords.ts"
import { Result, type Schema } from "effect"

/** A header field that a caller adds. */
export interface Header {
  readonly key: string
  readonly value: string
}

/**
 * The headers that a caller may set, beside `X-…`. Those that route, identify, frame or sign a message are ours and
 * cannot be set from outside.
 */
const allowed = new Set([
  "auto-submitted",
  "comments",
  "feedback-id",
  "importance",
  "in-reply-to",
  "keywords",
  "list-archive",
  "list-help",
  "list-id",
  "list-owner",
  "list-post",
  "list-subscribe",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "organization",
  "precedence",
  "priority",
  "references",
  "sensitivity",
  "thread-index",
  "thread-topic"
])

const extension = /^x-[a-z0-9][a-z0-9-]{0,73}$/
const limit = 50
/** RFC 5322 §2.1.1 allows 998 for a line; a longer value is folded at its spaces. */
const valueLimit = 4096
const longestWord = 900

const valueOf = (value: Schema.Json): string | undefined => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" ? value : undefined
}

const isSafe = (value: string): boolean =>
  isOneLine(value) && value.length <= valueLimit && value.split(" ").every((word) => word.length <= longestWord)

/** Header names are caller's text, and what cannot be one is not repeated. */
const named = (key: string): string => /^[a-z0-9-]{1,76}$/.test(key) ? `the header ${key}` : "such a header"

/**
 * The headers of an override. Fails with a description of what is wrong, which names the header only if its name is
 * harmless.
 */
export const custom = (value: Schema.Json | undefined): Result.Result<ReadonlyArray<Header>, string> => {
  if (value === undefined || value === null) return Result.succeed([])
  if (typeof value !== "object" || Array.isArray(value)) return Result.fail("headers must be an object")
  const entries = Object.entries(value)
  if (entries.length > limit) return Result.fail(`more than ${limit} headers`)
  const headers: Array<Header> = []
  const seen = new Set<string>()
  for (const [name, given] of entries) {
    const key = name.toLowerCase()
    if (!allowed.has(key) && !extension.test(key)) return Result.fail(`a message may not set ${named(key)}`)
    if (seen.has(key)) return Result.fail(`header ${key} is given twice`)
    const text = valueOf(given)
    if (text === undefined || !isSafe(text)) return Result.fail(`the value of header ${key} is not one line of text`)
    seen.add(key)
    if (text.trim() !== "") headers.push({ key: name, value: inAscii(text) })
  }
  return Result.succeed(headers)
}
