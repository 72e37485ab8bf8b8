import type { RenderFailed } from "#src/content/RenderFailed.ts"
import { malformed } from "#src/content/template/Malformed.ts"
import { Result } from "effect"

/** `inside` is what a tag says without its sigil: an expression, what follows `else`, or the name that `/` closes. */
export interface Tag {
  readonly _tag: "Tag"
  readonly kind: "output" | "open" | "inverted" | "else" | "end" | "comment"
  readonly inside: string
  readonly at: number
  readonly stripsBefore: boolean
  readonly stripsAfter: boolean
}

export type Piece = { readonly _tag: "Text"; readonly text: string } | Tag

const mostTags = 10_000
const longestTag = 4_096

/** Up to the closing braces, which quotes and brackets may hold too. */
const insideOfTag = /(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\[[^\]]*\]|(?!~?\}\})[^"'[])*/y
const endOfComment = /--~?\}\}/g
const otherwise = /^(?:else(?=\s|$)|\^)\s*/

const after = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

interface Cut {
  readonly tag: Tag
  readonly end: number
}

const cutComment = (source: string, at: number, inner: number, stripsBefore: boolean): Cut | undefined => {
  const long = source.startsWith("--", inner + 1) ? after(endOfComment, source, inner + 1) : undefined
  if (long === null) return undefined
  const close = long === undefined ? source.indexOf("}}", inner) : long.index + long[0].length - 2
  if (close < 0) return undefined
  const stripsAfter = source[close - 1] === "~"
  return { tag: { _tag: "Tag", kind: "comment", inside: "", at, stripsBefore, stripsAfter }, end: close + 2 }
}

const cut = (source: string, at: number): Cut | undefined => {
  const stripsBefore = source[at + 2] === "~"
  const inner = stripsBefore ? at + 3 : at + 2
  if (source[inner] === "!") return cutComment(source, at, inner, stripsBefore)
  const sigil = source.charAt(inner)
  const braced = sigil === "{"
  const from = braced || "#^/&".includes(sigil) ? inner + 1 : inner
  const found = after(insideOfTag, source.slice(from, from + longestTag), 0)?.[0] ?? ""
  let end = from + found.length
  if (braced && source[end] === "}") return undefined
  const stripsAfter = source[end] === "~"
  if (stripsAfter) end++
  const inside = found.trim()
  const tag = (kind: Tag["kind"], says: string): Tag => ({ _tag: "Tag", kind, inside: says, at, stripsBefore, stripsAfter })
  if (!source.startsWith("}}", end)) return undefined
  end += 2
  if (sigil === "/") return { tag: tag("end", inside), end }
  if (sigil === "#") return { tag: tag("open", inside), end }
  if (sigil === "^" && inside !== "") return { tag: tag("inverted", inside), end }
  if (sigil === "^") return { tag: tag("else", ""), end }
  const branch = braced || sigil === "&" ? null : otherwise.exec(inside)
  return { tag: branch === null ? tag("output", inside) : tag("else", inside.slice(branch[0].length)), end }
}
