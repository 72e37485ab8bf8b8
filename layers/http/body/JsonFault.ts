/**
 * Where and why a text is not JSON. Lines and columns count from 1, columns in UTF-16 units; a line ends at a line
 * feed.
 */
export interface JsonFault {
  readonly reason: string
  readonly line: number
  readonly column: number
}

const space = /[ \t\n\r]+/y
const literal = /true|false|null/y
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const plain = /[^"\\\u0000-\u001f]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

type Expected = "value" | "firstElement" | "firstKey" | "key" | "colon" | "next"

const shown = (text: string, index: number): string => {
  const code = text.codePointAt(index)
  if (code === undefined) return "end of input"
  const printable = code > 0x20 && code < 0x7f
  return printable
    ? `token '${String.fromCodePoint(code)}'`
    : `character U+${code.toString(16).toUpperCase().padStart(4, "0")}`
}

/**
 * Walks the text by the grammar of RFC 8259 with a stack of its own, and stops at the first character that the grammar
 * does not allow.
 */
class Walk {
  readonly text: string
  readonly open: Array<"[" | "{"> = []
  index = 0
  expected: Expected = "value"

  constructor(text: string) {
    this.text = text
  }

  /** The index of the fault, or `undefined` for a text that is JSON. */
  run(): number | undefined {
    while (true) {
      if (this.text.charCodeAt(this.index) <= 0x20) this.take(space)
      if (this.expected === "next" && this.open.length === 0) {
        return this.index === this.text.length ? undefined : this.index
      }
      if (!this.step(this.text[this.index])) return this.index
    }
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.index
    if (!pattern.test(this.text)) return false
    this.index = pattern.lastIndex
    return true
  }

  private then(expected: Expected, length = 1): boolean {
    this.index += length
    this.expected = expected
    return true
  }

  private step(char: string | undefined): boolean {
    switch (this.expected) {
      case "firstElement":
        return char === "]" ? this.close("[") : this.value(char)
      case "value":
        return this.value(char)
      case "firstKey":
        if (char === "}") return this.close("{")
        return char === "\"" && this.string() && this.then("colon", 0)
      case "key":
        return char === "\"" && this.string() && this.then("colon", 0)
      case "colon":
        return char === ":" && this.then("value")
      case "next":
        if (char === ",") return this.then(this.open.at(-1) === "{" ? "key" : "value")
        return char === "]" ? this.close("[") : char === "}" && this.close("{")
    }
  }

  private close(bracket: "[" | "{"): boolean {
    if (this.open.at(-1) !== bracket) return false
    this.open.pop()
    return this.then("next")
  }

  private value(char: string | undefined): boolean {
    if (char === "[") {
      this.open.push("[")
      return this.then("firstElement")
    }
    if (char === "{") {
      this.open.push("{")
      return this.then("firstKey")
    }
    if (char === "\"") return this.string() && this.then("next", 0)
    return this.take(char === "t" || char === "f" || char === "n" ? literal : number) && this.then("next", 0)
  }

  private string(): boolean {
    this.index++
    while (true) {
      this.take(plain)
      if (this.text[this.index] === "\"") {
        this.index++
        return true
      }
      if (!this.take(escape)) return false
    }
  }
}

/**
 * The first fault of a text that `JSON.parse` refuses; `undefined` if it is JSON.
 *
 * Engines word their syntax errors differently and some leave out the place, so the place is found here. Only failed
 * requests pay for it.
 */
export const findJsonFault = (text: string): JsonFault | undefined => {
  const index = new Walk(text).run()
  if (index === undefined) return undefined
  let line = 1
  let lineStart = 0
  for (let end = text.indexOf("\n"); end !== -1 && end < index; end = text.indexOf("\n", lineStart)) {
    line++
    lineStart = end + 1
  }
  return { reason: `Unexpected ${shown(text, index)}`, line, column: index - lineStart + 1 }
}
