import { decode } from "#src/content/html/Entities.ts"

/** Elements whose content nobody sees. A `head` has no text of its own, and needs no end tag. */
const silent = ["script", "style", "title", "template", "noscript"]

const beginning = /<(\/?)([a-z][^\t\n\f\r />]*)/iy
const partOfTag = /=[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r >"'][^\t\n\f\r >]*)|>/g

/** What a scan meets, in the order of the text; positions are those of characters. */
export interface Found {
  /** A text that readers see, or a `<` that begins nothing. */
  readonly text?: (from: number, to: number) => void
  /** A tag, from its `<` to after its `>`. */
  readonly tag: (name: string, isEnd: boolean, from: number, to: number) => void
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

/**
 * Reads HTML as mail clients do, without what nobody sees: comments, and the content of scripts, styles and the like.
 * Takes time linear in its length.
 */
export const scan = (html: string, { tag, text }: Found): void => {
  let skipped: string | undefined
  for (let at = 0; at < html.length;) {
    const less = skipped === undefined ? html.indexOf("<", at) : endTagOf(skipped, html, at)
    const stop = less < 0 ? html.length : less
    if (skipped === undefined && stop > at) text?.(at, stop)
    if (less < 0) return
    beginning.lastIndex = less
    const [, slash, name] = beginning.exec(html) ?? []
    if (name === undefined && !/[!?/]/.test(html.charAt(less + 1))) {
      text?.(less, less + 1)
      at = less + 1
      continue
    }
    const mark = html.startsWith("<!--", less) ? "-->" : ">"
    const end = name === undefined ? html.indexOf(mark, less + 1) : endOfTag(html, less + 1)
    at = end < 0 ? html.length : end + mark.length
    if (name === undefined) continue
    const called = name.toLowerCase()
    if (silent.includes(called)) skipped = slash === "/" ? undefined : called
    tag(called, slash === "/", less, at)
  }
}

/** The value of an attribute, and where it stands with its quotes, if it has any. */
export interface Attribute {
  readonly value: string
  readonly from: number
  readonly to: number
}

const nameInTag = /<\/?[^\t\n\f\r />]*/y

/** As browsers read it: a stray quote or `=` begins a name, and a value without quotes may have some within. */
const attribute =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*("[^"]*"|'[^']*'|[^\t\n\f\r >"'][^\t\n\f\r >]*))?/y

/** Characters of a tag that are looked at: no author writes more, and who does may have meant the reader ill. */
const longest = 8_192

/** An attribute of the tag from `from` to `to`, of which the first counts, as in browsers; `undefined`: it has none. */
export const attributeOf = (html: string, from: number, to: number, name: string): Attribute | undefined => {
  const end = Math.min(to, from + longest)
  nameInTag.lastIndex = from
  nameInTag.exec(html)
  attribute.lastIndex = nameInTag.lastIndex
  while (attribute.lastIndex < end) {
    const found = attribute.exec(html)
    if (found === null || attribute.lastIndex > end) return undefined
    const [, called = "", written = ""] = found
    if (called.toLowerCase() !== name) continue
    const value = /^["']/.test(written) ? written.slice(1, -1) : written
    return { value: decode(value), from: attribute.lastIndex - written.length, to: attribute.lastIndex }
  }
  return undefined
}
