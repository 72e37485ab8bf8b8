import { safeHref } from "#src/content/Href.ts"
import { decode } from "#src/content/html/Entities.ts"
import { attributeOf, scan } from "#src/content/html/Tags.ts"

/** A divider in plain text. */
export const rule = "----------"

const apart = [
  "address",
  "article",
  "blockquote",
  "center",
  "dl",
  "fieldset",
  "footer",
  "form",
  "header",
  "main",
  "nav",
  "ol",
  "p",
  "pre"
]
const blocks = new Set([...apart, "section", "table", "ul", "h1", "h2", "h3", "h4", "h5", "h6"])
const lines = new Set(["dd", "div", "dt", "figure", "li", "tr"])

/** White space that is not one space, which most texts have none of. */
const space = /[\t\r\n\f]|  /
const spaces = /[ \t\r\n\f]+/g

/** Collects texts and line ends. White space is never doubled, unless it is preformatted. */
class Page {
  readonly #parts: Array<string> = []
  #ends = 2
  #spaced = true

  get length(): number {
    return this.#parts.length
  }

  since(part: number): string {
    return this.#parts.slice(part).join("").trim()
  }

  say(text: string): void {
    const said = this.#spaced ? text.trimStart() : text
    if (said === "") return
    this.#parts.push(said)
    this.#ends = 0
    this.#spaced = said.endsWith(" ")
  }

  /** Says a preformatted text as it is. */
  keep(text: string): void {
    if (text === "") return
    this.#parts.push(text)
    let last = text.length
    while (text[last - 1] === "\n") last--
    this.#ends = text.length - last + (last === 0 ? this.#ends : 0)
    this.#spaced = this.#ends > 0
  }

  end(most: number): void {
    for (; this.#ends < most; this.#ends++) this.#parts.push("\n")
    this.#spaced = true
  }

  whole(): string {
    return this.#parts.join("").replaceAll(" \n", "\n").trim()
  }
}

/**
 * HTML as plain text: paragraphs apart, list items with dashes, links as "text (address)", preformatted text with its
 * own white space. Takes time linear in its length.
 */
export const textOf = (html: string): string => {
  const page = new Page()
  let isPreformatted = false
  /** The tag was the beginning of a `pre`: the first line end in it is not part of it (HTML, 13.2.6.4.7). */
  let isFirst = false
  let href = ""
  let label = 0

  const valueOf = (name: string, from: number, to: number): string => attributeOf(html, from, to, name)?.value ?? ""

  const link = (isEnd: boolean, from: number, to: number): void => {
    if (!isEnd) {
      href = valueOf("href", from, to).trim()
      label = page.length
      return
    }
    if (href === "") return
    const said = page.since(label)
    if (safeHref(href) !== undefined && said !== href) page.say(said === "" ? href : ` (${href})`)
    href = ""
  }

  const tag = (name: string, isEnd: boolean, from: number, to: number): void => {
    isFirst = name === "pre" && !isEnd
    if (name === "a") link(isEnd, from, to)
    else if (name === "br") page.end(1)
    else if (name === "img") page.say(valueOf("alt", from, to))
    else if (name === "td" || name === "th") page.say(" ")
    else if (name === "hr" || blocks.has(name)) page.end(2)
    else if (lines.has(name)) page.end(1)
    if (name === "pre") isPreformatted = !isEnd
    if (!isEnd && name === "li") page.say("- ")
    if (name !== "hr") return
    page.say(rule)
    page.end(2)
  }

  const text = (from: number, to: number): void => {
    const said = decode(html.slice(from, to))
    if (!isPreformatted) page.say(space.test(said) ? said.replace(spaces, " ") : said)
    else page.keep((isFirst ? said.replace(/^\r?\n/, "") : said).replaceAll(/\r\n?/g, "\n"))
    isFirst = false
  }

  scan(html, { tag, text })
  return page.whole()
}
