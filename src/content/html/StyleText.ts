import { color } from "#src/content/html/Color.ts"

const meaningful = /[^A-Za-z0-9 #%.,_-]/g

/** A value without any character that could have a meaning, for scripts, styles, handlers and comments. */
export const harmless = (value: string): string => value.replace(meaningful, "")

/** What ends an address within a style or changes it, or ends the style. */
const ending = /[\u0000-\u0020\u007f"'()*;<>\\{}]/g

/** An address percent-encoded so that it stays one within a style. */
export const inStyle = (address: string): string =>
  address.replace(ending, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`)

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

const quotes = ["\"", "'"]
const lineEnds = ["\n", "\r", "\f"]

/** How much of an address is looked at: its scheme. */
const longest = 16

/**
 * Where data stands in the text of a style (CSS Syntax 3, section 4): among values, in a string, in the address of a
 * `url(`, or in a comment. `Unsure`: after an escape or what else only a browser could read.
 */
type Place = "Value" | "String" | "Address" | "Comment" | "Unsure"

/** What ends each place or begins another, each character alone: a value may stand within `url(` or a comment's mark. */
const marks: Readonly<Record<Place, RegExp>> = {
  Value: /[\\"'(*]/g,
  String: /[\\"'\n\r\f]/g,
  Address: /[\\"')\n\r\f]/g,
  Comment: /\//g,
  Unsure: /(?!)/g
}

/**
 * Writes data into the text of a style, so that it never leaves the value that it stands in: a colour as it is, the
 * address of a picture in `url(`, and of all else what is harmless. `text` and `value` are told all in order.
 */
export class StyleText {
  #place: Place = "Value"
  #quote = ""
  #address = ""
  /** The last characters before what is read. */
  #before = ""

  /** Reads on in what the author wrote. It is `doubtful` if only a browser could tell what it says. */
  text(said: string, isDoubtful = false): void {
    if (isDoubtful) this.#place = "Unsure"
    let from = 0
    for (;;) {
      const mark = marks[this.#place]
      mark.lastIndex = from
      const at = mark.exec(said)?.index ?? said.length
      if (this.#place === "Address") this.#add(said.slice(from, at))
      if (at === said.length) break
      this.#meet(said.charAt(at), (this.#before + said.slice(Math.max(0, at - 4), at)).slice(-4))
      from = at + 1
    }
    this.#before = (this.#before + said.slice(-4)).slice(-4)
  }

  value(data: string): string {
    const made = this.#made(data)
    if (this.#place === "Address") this.#add(made)
    this.#before = (this.#before + made.slice(-4)).slice(-4)
    return made
  }

  #made(data: string): string {
    if (this.#place === "Value") return color(data)?.replaceAll(/\s+/g, " ") ?? harmless(data)
    if (this.#place !== "Address") return harmless(data)
    const said = this.#address === "" ? data.trim() : data
    return isWeb(this.#address + said.slice(0, longest)) ? inStyle(said) : harmless(said)
  }

  #add(said: string): void {
    const whole = this.#address + said.slice(0, longest)
    this.#address = (this.#address === "" ? whole.trimStart() : whole).slice(0, longest)
  }

  /** Takes a mark; `before`: what stands in front of it. */
  #meet(mark: string, before: string): void {
    switch (this.#place) {
      case "Value":
        return this.#enter(mark, before)
      case "Comment":
        // Of `/*/` and of the like, these marks do not tell what it is.
        if (before.endsWith("/*")) this.#place = "Unsure"
        else if (before.endsWith("*")) this.#place = "Value"
        return
      case "Address":
        if (this.#quote === "" && this.#address === "" && quotes.includes(mark)) this.#quote = mark
        else if (mark === (this.#quote === "" ? ")" : this.#quote)) this.#place = "Value"
        else if (mark === "\\" || (this.#quote !== "" && lineEnds.includes(mark))) this.#place = "Unsure"
        return
      case "String":
        if (mark === this.#quote) this.#place = "Value"
        else if (!quotes.includes(mark)) this.#place = "Unsure"
    }
  }

  #enter(mark: string, before: string): void {
    if (mark === "\\" || (mark === "*" && before.endsWith("*/"))) this.#place = "Unsure"
    else if (mark === "*" && before.endsWith("/")) this.#place = "Comment"
    else if (quotes.includes(mark)) {
      this.#place = "String"
      this.#quote = mark
    } else if (mark === "(" && /(?<![\w-])url$/i.test(before)) {
      this.#place = "Address"
      this.#quote = ""
      this.#address = ""
    }
  }
}
