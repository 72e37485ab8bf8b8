import type { Budget } from "#src/content/Budget.ts"

/** One stretch of a paragraph. Emphasis and colours open and close in pairs, properly nested. */
export type Inline =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Code"; readonly text: string }
  /** `label` is the text with its emphasis, code and images, where it has any. */
  | {
    readonly _tag: "Link"
    readonly text: string
    readonly href: string
    readonly label?: ReadonlyArray<Inline>
    /** Its author does not want to hear of who follows it. */
    readonly isUntracked?: boolean
  }
  | {
    readonly _tag: "Image"
    readonly src: string
    readonly alt: string
    readonly href: string
    readonly width: string | undefined
    readonly isUntracked?: boolean
  }
  | { readonly _tag: "Open" | "Close"; readonly emphasis: Emphasis }
  | { readonly _tag: "Tint"; readonly color: string }
  | { readonly _tag: "Untint" }

export type Emphasis = "strong" | "em" | "del" | "u"

const marks = "*_~`[]()\\<"
/** What stands for each mark in a value. */
const hidden = "\uFDD0\uFDD1\uFDD2\uFDD3\uFDD4\uFDD5\uFDD6\uFDD7\uFDD8\uFDDC"
const marked = /[*_~`[\]\\<]/
const shieldable = /[*_~`[\]()\\<\uFDD0-\uFDEF]/g
const opening = "\uFDD9"
const lineEnd = "\uFDDA"
const closing = "\uFDDB"
const shielded = /[\uFDD0-\uFDDC]/g

/**
 * Shields a value, so that data never becomes emphasis or a link: its markdown characters are replaced by Unicode
 * noncharacters, and its edges are marked, so that emphasis and links of the author around an empty or spaced value
 * still work. Noncharacters in the value itself are dropped. Each mark costs a step.
 */
export const shield = (value: string, budget: Budget): string => {
  let made = opening
  let from = 0
  for (const { 0: mark, index } of value.matchAll(shieldable)) {
    if (!budget.step()) return made
    made += value.slice(from, index)
    if (marks.includes(mark)) made += hidden.charAt(marks.indexOf(mark))
    from = index + 1
  }
  return made + value.slice(from) + closing
}

/** The same, with line ends shielded too: nothing inside a value can begin a block. */
export const shieldLines = (value: string, budget: Budget): string =>
  shield(value, budget).replace(/\r\n?|\n/g, lineEnd)

/** A shielded value as it was. */
export const unshield = (text: string): string =>
  text.replace(shielded, (one) => one === lineEnd ? "\n" : marks.charAt(hidden.indexOf(one)))

/** A shielded value, or a single edge whose other one was trimmed away. */
const shieldedValue = "\uFDD9[^\uFDD9\uFDDB]*\uFDDB|\uFDD9(?![^\uFDD9\uFDDB]*\uFDDB)|\uFDDB"
const backslashed = "\\\\([*_~`[\\]()\\\\!#>+.-])"
const words = `${shieldedValue}|[^[\\]\\n\uFDD9\uFDDB]`
/** It never begins as a bracketed one does: with two ways to read each of many, a text could take forever. */
const address = `(?!<)(?:${shieldedValue}|[^()\\s\uFDD9\uFDDB]|\\([^()\\s]*\\))*`
const bracketed = `(?:${shieldedValue}|[^<>\\n\uFDD9\uFDDB])*`
const title = `(?:\\s+(?:"[^"\\n]*"|'[^'\\n]*'))?`
const space = "[ \\t]*(?![ \\t])"
const end = `${title}${space}\\)`
/** Images may stand in a label, but not in those of its images: so no character is looked at more than a few times. */
const image = `(?<!\\\\)!\\[(?:${words})*\\]\\(${space}(?:<${bracketed}>|${address})${end}`
/** Brackets in a label that are no link. */
const brackets = `\\[(?:${words})*\\](?!\\()`
const label = `(?:${image}|${brackets}|${words})*`
const link = `(!?)\\[(${label})\\]\\(${space}(?:<(${bracketed})>|(${address}))${end}`
const alone = `<((?:https?://|mailto:|tel:)(?:${shieldedValue}|[^\\s<>\uFDD9\uFDDB])+)>`
const token = new RegExp(`${backslashed}|\`([^\`\\n]+)\`|${link}|${alone}|\\*{2,3}|__|~~|[*_]`, "g")
const word = /[\p{L}\p{N}\uFDD9\uFDDB]/u
const blank = /^\s?$/

const wordsOf = (pieces: ReadonlyArray<Inline>): string =>
  pieces.map((piece) => "text" in piece ? piece.text : piece._tag === "Image" ? piece.alt : "").join("")

/** A link, or the image that is all of its label, with what the label says. */
const linkOf = (label: ReadonlyArray<Inline>, href: string): Inline => {
  const [first, ...rest] = label
  if (first?._tag === "Image" && rest.length === 0) return { ...first, href }
  const text = wordsOf(label)
  return label.every(({ _tag }) => _tag === "Text")
    ? { _tag: "Link", text, href }
    : { _tag: "Link", text, href, label }
}

const emphasisOf = (mark: string): Emphasis => mark === "~~" ? "del" : mark.length === 2 ? "strong" : "em"

/**
 * Parses **bold**, *italic*, ~~struck~~, `code`, [links](…), ![images](…), <addresses> and backslash escapes, in linear time. A mark
 * without a partner is text.
 */
export const inline = (source: string, budget: Budget): ReadonlyArray<Inline> => {
  if (!marked.test(source)) return source === "" ? [] : [{ _tag: "Text", text: unshield(source) }]
  const found: Array<Inline> = []
  const open: Array<{ readonly mark: string; readonly at: number }> = []
  const counts = new Map<string, number>()
  let from = 0
  let plain = ""

  const flush = (): void => {
    if (plain !== "") found.push({ _tag: "Text", text: plain })
    plain = ""
  }

  /** Closes the nearest open mark of this kind; marks opened after it become text. */
  const close = (mark: string): void => {
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      counts.set(last.mark, (counts.get(last.mark) ?? 1) - 1)
      if (last.mark !== mark) continue
      const emphasis = emphasisOf(mark)
      found[last.at] = { _tag: "Open", emphasis }
      found.push({ _tag: "Close", emphasis })
      return
    }
  }

  const emphasize = (mark: string, before: string, after: string): void => {
    const underscore = mark.startsWith("_")
    if ((counts.get(mark) ?? 0) > 0 && !blank.test(before) && !(underscore && word.test(after))) {
      flush()
      close(mark)
    } else if (!blank.test(after) && !(underscore && word.test(before))) {
      flush()
      open.push({ mark, at: found.length })
      counts.set(mark, (counts.get(mark) ?? 0) + 1)
      found.push({ _tag: "Text", text: mark })
    } else {
      plain += mark
    }
  }

  for (const piece of source.matchAll(token)) {
    if (!budget.step()) return []
    const [all, escaped, code, bang, text, between, plainly, itself] = piece
    const href = between ?? plainly ?? itself
    plain += unshield(source.slice(from, piece.index))
    from = piece.index + all.length
    if (escaped !== undefined) {
      plain += escaped
    } else if (code !== undefined) {
      flush()
      found.push({ _tag: "Code", text: unshield(code) })
    } else if (href !== undefined) {
      flush()
      const said = text === undefined ? [] : inline(text, budget)
      // White space here is that of a value, or between angle brackets.
      const to = unshield(href).replaceAll(/\s/g, encodeURIComponent)
      if (text === undefined) found.push({ _tag: "Link", text: unshield(href), href: to })
      else found.push(
          bang === "!"
            ? { _tag: "Image", src: to, alt: wordsOf(said), href: "", width: undefined }
            : linkOf(said, to)
        )
    } else {
      const inner = open.at(-1)?.mark === "*" ? ["*", "**"] : ["**", "*"]
      for (const mark of all === "***" ? inner : [all])
        emphasize(mark, source.charAt(piece.index - 1), source.charAt(from))
    }
  }
  plain += unshield(source.slice(from))
  flush()
  return found
}
