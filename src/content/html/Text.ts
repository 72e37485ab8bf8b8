import { safeHref } from "#src/content/Href.ts"

const piece = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>|<[!?][^>]*>|&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z0-9]{2,8});|[^<&]+|[<&]/gi

const silent = ["head", "script", "style", "title", "template", "noscript"]
const paragraphs = ["address", "article", "blockquote", "center", "dl", "fieldset", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "ol", "p", "pre", "section", "table", "ul"]
const newLines = ["br", "dd", "div", "dt", "figure", "li", "tr"]

const named: ReadonlyMap<string, string> = new Map(Object.entries({
  amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…", mdash: "—", ndash: "–",
  bull: "•", middot: "·", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", euro: "€", pound: "£", yen: "¥",
  cent: "¢", sect: "§", deg: "°", times: "×", rarr: "→", larr: "←", zwnj: "", zwj: "", shy: ""
}))

const character = (entity: string): string | undefined => {
  if (!entity.startsWith("#")) return named.get(entity)
  const hex = /^#x/i.test(entity)
  const code = Number.parseInt(entity.slice(hex ? 2 : 1), hex ? 16 : 10)
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ""
}

const decoded = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z0-9]{2,8});/gi, (whole, entity: string) => character(entity) ?? whole)

const attribute = (attributes: string, name: "href" | "alt"): string => {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes)
  return found === null ? "" : decoded(found[1] ?? found[2] ?? found[3] ?? "")
}

/** What HTML says, for readers without it: paragraphs apart, lists with dashes, links as "text (address)". Linear in its length. */
export const textOf = (html: string): string => {
  let text = ""
  let inLink = ""
  let label = 0
  let skipped: string | undefined

  const gap = (lines: number): void => {
    const bare = text.replace(/[ \t]{1,256}$/, "")
    const had = /\n{0,2}$/.exec(bare)?.[0].length ?? 0
    text = bare === "" ? "" : bare + "\n".repeat(Math.max(0, lines - had))
  }

  const tag = (isEnd: boolean, name: string, attributes: string): void => {
    if (silent.includes(name)) skipped = isEnd ? undefined : name
    else if (paragraphs.includes(name)) gap(2)
    else if (name === "hr") {
      gap(2)
      text += "----------"
      gap(2)
    } else if (newLines.includes(name)) {
      if (name === "br") text = `${text.replace(/[ \t]{1,256}$/, "")}\n`
      else gap(1)
      if (name === "li" && !isEnd) text += "- "
    } else if (name === "img") text += attribute(attributes, "alt")
    else if (name === "td" || name === "th") text += isEnd && text !== "" && !/\s$/.test(text.slice(-1)) ? " " : ""
    else if (name === "a" && !isEnd) {
      inLink = attribute(attributes, "href")
      label = text.length
    } else if (name === "a" && inLink !== "") {
      const said = text.slice(label).trim()
      if (safeHref(inLink) !== undefined && said !== inLink) text += said === "" ? inLink : ` (${inLink.trim()})`
      inLink = ""
    }
  }

  for (const [whole, end = "", name, attributes = "", entity] of html.matchAll(piece)) {
    if (name !== undefined) {
      const lower = name.toLowerCase()
      if (skipped === undefined || skipped === lower) tag(end === "/", lower, attributes)
    } else if (skipped !== undefined || whole.startsWith("<!") || whole.startsWith("<?")) continue
    else if (entity !== undefined) text += character(entity) ?? whole
    else {
      const spaced = whole.replace(/\s+/g, " ")
      text += text === "" || /\s$/.test(text.slice(-1)) ? spaced.trimStart() : spaced
    }
  }
  return text.replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim()
}
