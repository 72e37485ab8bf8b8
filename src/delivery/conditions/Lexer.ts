import { invalid, type InvalidCondition } from "#src/delivery/conditions/InvalidCondition.ts"
import { Result } from "effect"

/** A piece of a condition and the offset where it begins. */
export type Token =
  | { readonly _tag: "Name"; readonly text: string; readonly at: number }
  | { readonly _tag: "Mark"; readonly text: string; readonly at: number }
  | { readonly _tag: "Number"; readonly value: number; readonly at: number }
  | { readonly _tag: "String"; readonly value: string; readonly at: number }
  | { readonly _tag: "End"; readonly at: number }

const longest = 4_096

const space = /\s+/y
const name = /[\p{ID_Start}_$][\p{ID_Continue}$\u200c\u200d]*/uy
const number = /(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?/y
const wordCharacter = /[\p{ID_Continue}$]/uy
const string = /"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*'/y
const mark = /===|!==|==|!=|<=|>=|&&|\|\||\?\.(?!\d)|[<>!()[\].,?:-]/y

const match = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const escapeSequence = /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g
const named: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"]
])

/** The text of a literal, or `undefined` for an escape that JavaScript refuses or that only its sloppy mode knows. */
const unescape = (literal: string): string | undefined => {
  let refused = false
  const text = literal.slice(1, -1).replace(escapeSequence, (_, braced, four, two, other) => {
    if (other === undefined) {
      const code = Number.parseInt(braced ?? four ?? two, 16)
      refused ||= code > 0x10ffff
      return refused ? "" : String.fromCodePoint(code)
    }
    refused ||= /[\dux]/.test(other)
    return named.get(other) ?? other
  })
  return refused ? undefined : text
}

/** Cuts a condition into tokens, the last of which is `End`. */
export const tokens = (text: string): Result.Result<ReadonlyArray<Token>, InvalidCondition> => {
  if (text.length > longest) return Result.fail(invalid(longest, `it is longer than ${longest} characters`))
  const found: Array<Token> = []
  let at = match(space, text, 0)?.length ?? 0
  while (at < text.length) {
    const token = next(text, at)
    if (token === undefined) return Result.fail(invalid(at, `unexpected ${JSON.stringify(text.charAt(at))}`))
    found.push(token.token)
    at += token.length
    if (token.token._tag === "Number" && match(wordCharacter, text, at) !== undefined) {
      return Result.fail(invalid(at, "a number runs into a name"))
    }
    at += match(space, text, at)?.length ?? 0
  }
  found.push({ _tag: "End", at: text.length })
  return Result.succeed(found)
}

const next = (text: string, at: number): { readonly token: Token; readonly length: number } | undefined => {
  const word = match(name, text, at)
  if (word !== undefined) return { token: { _tag: "Name", text: word, at }, length: word.length }
  const digits = match(number, text, at)
  if (digits !== undefined) return { token: { _tag: "Number", value: Number(digits), at }, length: digits.length }
  const literal = match(string, text, at)
  if (literal !== undefined) {
    const value = unescape(literal)
    return value === undefined ? undefined : { token: { _tag: "String", value, at }, length: literal.length }
  }
  const sign = match(mark, text, at)
  return sign === undefined ? undefined : { token: { _tag: "Mark", text: sign, at }, length: sign.length }
}
