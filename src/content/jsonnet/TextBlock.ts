/** A text block, or why it is malformed. `end`: the offset after it. */
export type TextBlock = { readonly text: string; readonly end: number } | { readonly wrong: string }

const head = /\|\|\|(-?)[ \t\r]*\n/y
const indent = /[ \t]+/y
const tail = /[ \t]*\|\|\|/y

const found = (pattern: RegExp, source: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(source)
}

/**
 * Reads `|||` and the lines below it, without the indentation of the first one. After `|||-`, the last line feed is
 * dropped.
 */
export const textBlock = (source: string, start: number): TextBlock => {
  const opening = found(head, source, start)
  if (opening === null) return { wrong: "a text block begins on the line after |||" }
  let at = start + opening[0].length
  let text = ""

  const lineEnd = (): number => {
    const end = source.indexOf("\n", at)
    return end < 0 ? source.length : end + 1
  }

  const blanks = (): void => {
    for (;;) {
      const skipped = source.startsWith("\r\n", at) ? 2 : source[at] === "\n" ? 1 : 0
      if (skipped === 0) return
      text += "\n"
      at += skipped
    }
  }

  blanks()
  const margin = found(indent, source, at)?.[0]
  if (margin === undefined) return { wrong: "the first line of a text block is indented" }
  while (source.startsWith(margin, at)) {
    const end = lineEnd()
    text += source.slice(at + margin.length, end)
    at = end
    blanks()
  }
  const closing = found(tail, source, at)
  if (closing === null) return { wrong: "a text block ends with ||| on a line that is indented less" }
  return { text: opening[1] === "-" ? text.replace(/\n$/, "") : text, end: at + closing[0].length }
}
