import type { RenderFailed } from "#src/content/RenderFailed.ts"
import { malformed } from "#src/content/template/Malformed.ts"
import { Result } from "effect"

/** A tag. `inside` is its text without the sigil: an expression, what follows `else`, or the name that `/` closes. */
export interface Tag {
  readonly _tag: "Tag"
  readonly kind: "output" | "partial" | "open" | "inverted" | "else" | "end" | "comment"
  readonly inside: string
  readonly at: number
  readonly stripsBefore: boolean
  readonly stripsAfter: boolean
}

export type Piece = { readonly _tag: "Text"; readonly text: string } | Tag

const mostTags = 10_000
const longestTag = 4_096
/** The most characters inside all tags of a template, comments apart: to read them takes some 50 ms. */
const mostInside = 262_144

/** Pays for as much work as it takes to look at so many characters; `false` where that is too much. */
export type Pay = (amount: number) => boolean

/** What it takes to cut out a tag and to read a character inside of it, compared to looking at a character. */
const cost = { tag: 256, inside: 16 } as const

/** The inside of a tag, up to the closing braces; these may also occur inside quotes and brackets. */
const insideOfTag = /(?:"(?:\\"|[^"])*"|'(?:\\'|[^'])*'|\[(?:\\\]|[^\]])*\]|(?!~?\}\})[^"'[])*/y
/** `{{` begins a tag; `{$.path}` is one of its own, the short form of `{{$.path}}` (api.md 10.4, 11). */
const beginning = /\{\{|\{(\$(?:\.[^\s!"#%-,./;->@[-^`{-~]+){1,31})\}/g
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
  const from = braced || "#^/&>".includes(sigil) ? inner + 1 : inner
  const found = after(insideOfTag, source.slice(from, from + longestTag), 0)?.[0] ?? ""
  const stop = from + found.length
  const tilde = source[stop] === "~"
  if (
    !source.startsWith("}}", tilde ? stop + 1 : stop) ||
    (braced && !(tilde ? found.endsWith("}") : source[stop + 2] === "}"))
  ) {
    return undefined
  }
  const end = stop + (tilde || braced ? 3 : 2)
  const inside = (braced && tilde ? found.slice(0, -1) : found).trim()
  const tag = (kind: Tag["kind"], says: string): Tag => ({
    _tag: "Tag",
    kind,
    inside: says,
    at,
    stripsBefore,
    stripsAfter: tilde
  })
  if (sigil === "/") return { tag: tag("end", inside), end }
  if (sigil === ">") return { tag: tag("partial", inside), end }
  if (sigil === "#") return { tag: tag("open", inside), end }
  if (sigil === "^" && inside !== "") return { tag: tag("inverted", inside), end }
  if (sigil === "^") return { tag: tag("else", ""), end }
  const branch = braced || sigil === "&" ? null : otherwise.exec(inside)
  return { tag: branch === null ? tag("output", inside) : tag("else", inside.slice(branch[0].length)), end }
}

const cutShort = (inside: string, at: number): Cut => ({
  tag: { _tag: "Tag", kind: "output", inside, at, stripsBefore: false, stripsAfter: false },
  end: at + inside.length + 2
})

/** A text without the white space that belongs to the tags around it. */
const trimmed = (
  text: string,
  before: Tag | undefined,
  next: Tag | undefined,
  alone: (tag: Tag) => boolean
): string => {
  let kept = text
  if (before?.stripsAfter) kept = kept.trimStart()
  else if (before !== undefined && alone(before)) kept = kept.replace(/^[ \t]*(?:\r?\n)?/, "")
  if (next?.stripsBefore) return kept.trimEnd()
  // What stands before a partial stands before its text.
  if (next === undefined || next.kind === "partial" || !alone(next)) return kept
  let end = kept.length
  while (kept[end - 1] === " " || kept[end - 1] === "\t") end--
  return kept.slice(0, end)
}

/** Which tags stand alone on their line: except for outputs, such a tag removes the line with it. */
const standsAlone = (pieces: ReadonlyArray<Piece>) => {
  const alone = new Map(pieces.flatMap((piece, index) => {
    if (piece._tag === "Text" || piece.kind === "output") return []
    const before = pieces[index - 1]
    const next = pieces[index + 1]
    const begins = before === undefined ||
      (before._tag === "Text" &&
        (before.text.slice(before.text.trimEnd().length).includes("\n") || (index === 1 && before.text.trim() === "")))
    const ends = next === undefined || (next._tag === "Text" &&
      (next.text.slice(0, next.text.length - next.text.trimStart().length).includes("\n") ||
        (index === pieces.length - 2 && next.text.trim() === "")))
    return [[piece, begins && ends] as const]
  }))
  return (tag: Tag): boolean => alone.get(tag) ?? false
}

const withoutMargins = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const alone = standsAlone(pieces)
  const tagAt = (index: number): Tag | undefined => {
    const piece = pieces[index]
    return piece?._tag === "Tag" ? piece : undefined
  }
  return pieces.map((piece, index) =>
    piece._tag === "Tag" ? piece : { ...piece, text: trimmed(piece.text, tagAt(index - 1), tagAt(index + 1), alone) }
  )
}

/** Whether a text has variables to fill in. */
export const isTemplate = (source: string): boolean => source.includes("{{") || source.includes("{$.")

/**
 * Splits a template into texts and tags, in linear time. `\\{{` is text, as in Handlebars. What reading the tags will
 * take is paid for as well; `undefined` where `pay` refuses.
 */
export const pieces = (source: string, pay: Pay): Result.Result<ReadonlyArray<Piece>, RenderFailed> | undefined => {
  if (!pay(source.length)) return undefined
  const found: Array<Piece> = []
  let text = ""
  let from = 0
  let tags = 0
  let inside = 0
  for (;;) {
    const begun = after(beginning, source, from)
    if (begun === null) break
    if (!pay(cost.tag)) return undefined
    const at = begun.index
    const short = begun[1]
    if (source[at - 1] === "\\" && at > from) {
      const literal = source[at - 2] !== "\\" || at - 1 === from
      text += source.slice(from, at - 1)
      if (literal) {
        text += begun[0]
        from = at + begun[0].length
        continue
      }
    } else {
      text += source.slice(from, at)
    }
    const next = short === undefined ? cut(source, at) : cutShort(short, at)
    if (next === undefined) return Result.fail(malformed(at, "a tag does not end"))
    if (++tags > mostTags) return Result.fail(malformed(at, `it has more than ${mostTags} tags`))
    inside += next.tag.inside.length
    if (inside > mostInside)
      return Result.fail(malformed(at, `it has more than ${mostInside} characters inside its tags`))
    if (!pay(cost.inside * next.tag.inside.length)) return undefined
    if (text !== "") found.push({ _tag: "Text", text })
    text = ""
    found.push(next.tag)
    from = next.end
  }
  text += source.slice(from)
  if (text !== "") found.push({ _tag: "Text", text })
  return Result.succeed(withoutMargins(found))
}
