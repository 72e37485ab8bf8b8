import { malformed } from "#src/content/jsonnet/Malformed.ts"
import { textBlock } from "#src/content/jsonnet/TextBlock.ts"
import type { RenderFailed } from "#src/content/RenderFailed.ts"
import { Result } from "effect"

/** A token of a program. `symbol` is punctuation, an operator or a keyword; `end` comes after all others. */
export type Token =
  | { readonly kind: "name" | "symbol" | "string"; readonly at: number; readonly text: string }
  | { readonly kind: "number"; readonly at: number; readonly text: string; readonly value: number }
  | { readonly kind: "end"; readonly at: number; readonly text: "" }

const keywords = new Set(
  ("assert else error false for function if import importbin importstr in local null self super tailstrict then true")
    .split(" ")
)

const space = /[ \t\r\n]+|\/\/[^\n]*|#[^\n]*/y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const number = /(?:0|[1-9](?:_?[0-9])*)(?:\.[0-9](?:_?[0-9])*)?(?:[eE][-+]?[0-9](?:_?[0-9])*)?/y
// Bounded: a run of operator characters may be matched again from each of its characters.
const operator = /[!$:~+\-&|^=<>*/%]{1,8}/y
const escape = /\\(?:u([0-9a-fA-F]{4})|(["'\\/bfnrt]))/y

const letters: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"]
])

/**
 * The operator at the start of a run of operator characters: it ends before a comment or text block, and one of several
 * characters does not end in a sign.
 */
const operatorIn = (run: string): string => {
  const stop = run.search(/\/\/|\/\*|\|\|\|/)
  let text = stop > 0 ? run.slice(0, stop) : run
  while (text.length > 1 && /[+\-~!$]$/.test(text)) text = text.slice(0, -1)
  return text
}

/** Splits a program into tokens. */
export const tokens = (source: string): Result.Result<ReadonlyArray<Token>, RenderFailed> => {
  const all: Array<Token> = []
  let at = 0

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found !== null) at += found[0].length
    return found
  }

  /** Reads a quoted text up to its closing quote; a message if it is malformed. */
  const quoted = (quote: string): { readonly text: string } | { readonly wrong: string; readonly at: number } => {
    const start = at - 1
    let text = ""
    for (let from = at; at < source.length; from = at) {
      while (at < source.length && source[at] !== quote && source[at] !== "\\") at++
      text += source.slice(from, at)
      if (source[at] === quote) {
        at++
        // A lone surrogate is not a character.
        return text.isWellFormed() ? { text } : { wrong: "a \\u escape is half of a character", at: start }
      }
      const escaped = at < source.length ? take(escape) : null
      if (escaped === null) return { wrong: at < source.length ? "this is no escape" : "a text does not end", at }
      const [, code, letter = ""] = escaped
      text += code === undefined ? letters.get(letter) ?? letter : String.fromCharCode(Number.parseInt(code, 16))
    }
    return { wrong: "a text does not end", at: start }
  }

  const verbatim = (quote: string): string | undefined => {
    let text = ""
    for (;;) {
      const end = source.indexOf(quote, at)
      if (end < 0) return undefined
      text += source.slice(at, end)
      at = end + 1
      if (source[at] !== quote) return text
      text += quote
      at++
    }
  }

  for (;;) {
    if (take(space) !== null) continue
    const start = at
    const fail = (what: string, where = start) => Result.fail(malformed(source, where, what))
    const put = (kind: "name" | "symbol" | "string", text: string): void => {
      all.push({ kind, at: start, text })
    }
    const first = source[at]
    if (first === undefined) {
      all.push({ kind: "end", at, text: "" })
      return Result.succeed(all)
    }
    if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2)
      if (end < 0) return fail("a comment does not end")
      at = end + 2
      continue
    }
    const name = take(word)?.[0]
    if (name !== undefined) {
      put(keywords.has(name) ? "symbol" : "name", name)
      continue
    }
    const digits = take(number)?.[0]
    if (digits !== undefined) {
      const value = Number(digits.replaceAll("_", ""))
      if (/[0-9_]/.test(source.charAt(at)) || !Number.isFinite(value)) return fail("this is no number")
      all.push({ kind: "number", at: start, text: digits, value })
      continue
    }
    if (source.startsWith("|||", at)) {
      const block = textBlock(source, at)
      if ("wrong" in block) return fail(block.wrong)
      at = block.end
      put("string", block.text)
      continue
    }
    const second = source.charAt(at + 1)
    if (first === "\"" || first === "'") {
      at++
      const read = quoted(first)
      if ("wrong" in read) return fail(read.wrong, read.at)
      put("string", read.text)
    } else if (first === "@" && (second === "\"" || second === "'")) {
      at += 2
      const read = verbatim(second)
      if (read === undefined) return fail("a text does not end")
      put("string", read)
    } else if ("{}[](),.;".includes(first)) {
      at++
      put("symbol", first)
    } else {
      const run = take(operator)?.[0]
      if (run === undefined) return fail(`${JSON.stringify(first)} is not understood`)
      const text = operatorIn(run)
      at = start + text.length
      put("symbol", text)
    }
  }
}
