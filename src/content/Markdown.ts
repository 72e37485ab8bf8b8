import { type Block, paragraph } from "#src/content/Block.ts"
import type { Budget } from "#src/content/Budget.ts"
import { inline, unshield } from "#src/content/Inline.ts"

const deepest = 5

/** A fence matches whole runs of marks only: with backtracking mark by mark, a long run would take quadratic time. */
const fence = /^ {0,3}(```+|~~~+(?!~))[^`]*$/
const heading = /^ {0,3}(#{1,6})(?=[ \t]|$)/
const divider = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const quoted = /^ {0,3}> ?([^]*)$/
const listed = /^( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+([^]*))?$/

const startsBlock = (line: string): boolean =>
  [fence, heading, divider, quoted, listed].some((start) => start.test(line))

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Looks no further into the line than it must: it is asked of the same line for each blank one before it. */
const isIndented = (line: string, indent: number): boolean => indentOf(line.slice(0, indent)) >= indent

/** A heading's text, without closing marks. */
const titleOf = (line: string, marks: string): string => {
  const text = line.trim().slice(marks.length).trim()
  let end = text.length
  while (text[end - 1] === "#") end--
  return end === 0 || /\s/.test(text.charAt(end - 1)) ? text.slice(0, end).trimEnd() : text
}

/**
 * Joins the lines of a paragraph: a line end becomes a space, but stays after two or more spaces or a backslash, as
 * in CommonMark.
 */
const joined = (lines: ReadonlyArray<string>): string =>
  lines.map((line, index) => {
    const last = index === lines.length - 1
    const text = line.trim()
    if (last) return text
    if (text.endsWith("\\")) return `${text.slice(0, -1)}\n`
    return line.endsWith("  ") ? `${text}\n` : `${text} `
  }).join("")

const styles = ["h1", "h2", "h3"] as const

/**
 * Parses the blocks of a markdown text: paragraphs, headings, lists, quotes, code, dividers; inside them, what `inline`
 * parses. HTML is text. Each line is scanned once for each list or quote around it, of which there are at most 5;
 * anything deeper is text.
 */
export const markdown = (source: string, budget: Budget): ReadonlyArray<Block> =>
  parse(source.replaceAll(/\r\n?/g, "\n").split("\n"), budget, 0)

const parse = (lines: ReadonlyArray<string>, budget: Budget, depth: number): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let at = 0
  let ahead = -1

  /** The next line that is not blank: `ahead` passes each line once, and rests at one that may be long. */
  const following = (): string => {
    if (ahead < at) {
      ahead = at
      while (lines[ahead]?.trim() === "") ahead++
    }
    return lines[ahead] ?? ""
  }

  /** Takes the lines from here on for as long as they belong together. */
  const taken = (belongs: (line: string, index: number) => boolean): ReadonlyArray<string> => {
    const from = at
    for (let line = lines[at]; line !== undefined && belongs(line, at - from) && budget.step(); line = lines[at]) at++
    return lines.slice(from, at)
  }

  const code = (mark: string): void => {
    at++
    const inside = taken((line) => !line.trimStart().startsWith(mark))
    at++
    blocks.push({ _tag: "Code", text: unshield(inside.join("\n")) })
  }

  const quote = (): void => {
    const inside = taken((line) => quoted.test(line)).map((line) => quoted.exec(line)?.[1] ?? "")
    blocks.push({
      _tag: "Quote",
      style: "text",
      align: undefined,
      border: undefined,
      blocks: parse(inside, budget, depth + 1)
    })
  }

  const item = (): Block => {
    const [, before = "", mark = "", first = ""] = listed.exec(lines[at] ?? "") ?? []
    const indent = before.length + mark.length + 1
    at++
    const rest = taken((line) =>
      line.trim() === ""
        ? isIndented(following(), indent)
        : indentOf(line) >= before.length + 2 || !startsBlock(line)
    )
    const inside = [first, ...rest.map((line) => line.slice(Math.min(indent, indentOf(line))))]
    return { _tag: "Item", background: undefined, blocks: parse(inside, budget, depth + 1) }
  }

  const list = (mark: string): void => {
    const kind = mark.slice(-1)
    const items: Array<Block> = []
    const continues = (): boolean => {
      const next = following()
      if (listed.exec(next)?.[2]?.endsWith(kind) !== true || divider.test(next) || !budget.step()) return false
      at = ahead
      return true
    }
    while (continues()) items.push(item())
    const ordered = /\d/.test(mark)
    blocks.push({ _tag: "List", ordered, start: ordered ? Number.parseInt(mark, 10) : 1, blocks: items })
  }

  while (at < lines.length && budget.step()) {
    const line = lines[at] ?? ""
    const marks = heading.exec(line)?.[1]
    const open = depth < deepest
    const mark = listed.exec(line)?.[2]
    const fenced = fence.exec(line)?.[1]
    if (line.trim() === "") at++
    else if (fenced !== undefined) code(fenced)
    else if (marks !== undefined) {
      at++
      blocks.push(paragraph(inline(titleOf(line, marks), budget), styles[marks.length - 1] ?? "h3"))
    } else if (divider.test(line)) {
      at++
      blocks.push({ _tag: "Divider", color: undefined })
    } else if (open && quoted.test(line)) quote()
    else if (open && mark !== undefined) list(mark)
    else {
      const said = taken((next, index) => index === 0 || (next.trim() !== "" && !startsBlock(next)))
      blocks.push(paragraph(inline(joined(said), budget)))
    }
  }
  return blocks
}
