import { safeHref } from "#src/content/Href.ts"
import { decode } from "#src/content/html/Entities.ts"

/** A divider in plain text. */
export const rule = "----------"

/** Elements whose content nobody sees. A `head` has no text of its own, and needs no end tag. */
const silent = ["script", "style", "title", "template", "noscript"]
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

const beginning = /<(\/?)([a-z][a-z0-9]*)/iy
const partOfTag = /=\s*(?:"[^"]*"|'[^']*')|>/g
const written = {
  href: /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i,
  alt: /\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
} as const

/** White space that is not one space, which most texts have none of. */
const space = /[\t\r\n\f]|  /
const spaces = /[ \t\r\n\f]+/g

const attribute = (attributes: string, name: keyof typeof written): string => {
  const found = written[name].exec(attributes)
  return found === null ? "" : decode(found[1] ?? found[2] ?? found[3] ?? "")
}

/** Where the tag that is open here ends: a `>` within a quoted value is part of it. -1 if it does not end. */
const endOfTag = (html: string, from: number): number => {
  partOfTag.lastIndex = from
  for (let found = partOfTag.exec(html); found !== null; found = partOfTag.exec(html))
    if (found[0] === ">") return found.index
  return -1
}

/** Where the end tag of a silent element begins; nothing before it is a tag. -1 if there is none. */
const endTagOf = (name: string, html: string, from: number): number => {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi")
  end.lastIndex = from
  return end.exec(html)?.index ?? -1
}

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
  let skipped: string | undefined
  let isPreformatted = false
  let href = ""
  let label = 0

  const link = (isEnd: boolean, attributes: string): void => {
    if (!isEnd) {
      href = attribute(attributes, "href").trim()
      label = page.length
      return
    }
    if (href === "") return
    const said = page.since(label)
    if (safeHref(href) !== undefined && said !== href) page.say(said === "" ? href : ` (${href})`)
    href = ""
  }

  const tag = (isEnd: boolean, name: string, attributes: string): void => {
    if (silent.includes(name)) skipped = isEnd ? undefined : name
    else if (name === "a") link(isEnd, attributes)
    else if (name === "br") page.end(1)
    else if (name === "img") page.say(attribute(attributes, "alt"))
    else if (name === "td" || name === "th") page.say(" ")
    else if (name === "hr" || blocks.has(name)) page.end(2)
    else if (lines.has(name)) page.end(1)
    if (name === "pre") isPreformatted = !isEnd
    if (!isEnd && name === "li") page.say("- ")
    if (name !== "hr") return
    page.say(rule)
    page.end(2)
  }

  const say = (source: string): void => {
    const text = decode(source)
    if (!isPreformatted) page.say(space.test(text) ? text.replace(spaces, " ") : text)
    else page.keep(text.replaceAll(/\r\n?/g, "\n"))
  }

  for (let at = 0; at < html.length;) {
    const less = skipped === undefined ? html.indexOf("<", at) : endTagOf(skipped, html, at)
    const stop = less < 0 ? html.length : less
    if (skipped === undefined) say(html.slice(at, stop))
    if (less < 0) break
    beginning.lastIndex = less
    const [, slash, name] = beginning.exec(html) ?? []
    if (name === undefined && !/[!?/]/.test(html.charAt(less + 1))) {
      page.say("<")
      at = less + 1
      continue
    }
    const mark = html.startsWith("<!--", less) ? "-->" : ">"
    const end = name === undefined ? html.indexOf(mark, less + 1) : endOfTag(html, less + 1)
    at = end < 0 ? html.length : end + mark.length
    if (name === undefined) continue
    const called = name.toLowerCase()
    tag(slash === "/", called, html.slice(less, at).slice(0, 4_096))
    // The first line end in a `pre` is not part of it (HTML, 13.2.6.4.7).
    if (slash === "" && called === "pre") at += /^\r?\n/.exec(html.slice(at, at + 2))?.[0].length ?? 0
  }
  return page.whole()
}
