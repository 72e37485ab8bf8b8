import type { Budget } from "#src/content/Budget.ts"
import { beginsUnsafely, meaningfulOf } from "#src/content/Href.ts"
import { decode, isDoubtful } from "#src/content/html/Entities.ts"
import { escape } from "#src/content/html/Escape.ts"
import { harmless, inStyle, StyleText } from "#src/content/html/StyleText.ts"
import type { Writer } from "#src/content/template/Run.ts"

/**
 * The state of the tokenizer at the next character. `Raw`: inside an element whose content is not parsed as HTML; in
 * `title` and `textarea` of these, escapes still work.
 */
type State = "Text" | "Less" | "Tag" | "Name" | "Before" | "Value" | "Comment" | "Bogus" | "Raw"

const escapable = ["title", "textarea"]
const raw = [
  ...escapable,
  "script",
  "style",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "plaintext",
  "mj-style"
]
const addresses =
  /^(?:href|src|srcset|action|formaction|background|poster|cite|data|longdesc|ping|to|from|by|values|.*-url|.*-src|.*:href)$/
const opaque = /^(?:on.*|srcdoc)$/

/** An address that the author made of code. */
const code = /^(?:javascript|vbscript):/i

/** Attributes of MJML's elements whose values are words; those of all others become parts of styles, but for addresses. */
const words = /^(?:alt|title|name|lang|dir|rel|target|role|aria-.*)$/

/** Hyphens that are not within a word, and might stand beside another one. */
const loose = /(?<![A-Za-z0-9])-|-(?![A-Za-z0-9])/g

/** A character reference that does not end: what follows could be a part of it. */
const unended = /&#?\w*$/

/** Elements whose content is a style sheet. */
const sheets = ["style", "mj-style"]

/** Characters that end or change an attribute's value without quotes. */
const unquoted = /[\s=]/g

/** The type of a script that is no code, but what a mail says, for mail services: an order, a flight (schema.org). */
const linkedData = /^application\/ld\+json$/i

/** The text of a string in JSON, without any character that could end the script. */
const inString = (data: string): string =>
  JSON.stringify(data).slice(1, -1)
    .replaceAll(/[<>&\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** How many characters of a name, or of an address without what browsers drop of it, are looked at. */
const longest = 256

/** A comment that is empty, one whose content Outlook reads as HTML (`<!--[if mso]>`), or the beginning of any other. */
const comment = /<!--(?:-?>|(\[if [^\]>]{1,80}\]>))?/y

/**
 * Writes data into HTML that the author wrote, safely for where it stands. Data is escaped in text and attributes; left
 * out of names; dropped if it would make an address that runs code; and reduced to harmless characters where nothing
 * else is safe. What the author wrote stays as it is. Linear in the output. Follows the tokenizer of the HTML standard
 * (13.2.5); where it is unsure, it takes the stricter state. What escapes add to the data is written, too: `budget`
 * counts it.
 */
export const contexts = (budget: Budget): Writer => {
  let state: State = "Text"
  let isPreformatted = false
  /** Whether the element's type, of which the first counts, is that of linked data. */
  let isData: boolean | undefined
  /** Within a string of linked data. */
  let isQuoted = false
  /** Within a comment that Outlook reads as HTML; all others look for its end alone. */
  let isConditional = false
  let element = ""
  let attribute = ""
  let isNameWhole = true
  let quote = ""
  let said = ""
  /** The style that is read. */
  let style: StyleText | undefined

  const toName = (): void => {
    state = "Name"
    attribute = ""
    isNameWhole = true
  }

  const isStyle = (): boolean =>
    attribute === "style" ||
    (element.startsWith("mj-") && !words.test(attribute) && !addresses.test(attribute) && !opaque.test(attribute))

  const leave = (): void => {
    if (element === "pre" || element === "/pre") isPreformatted = element === "pre"
    state = raw.includes(element) ? "Raw" : "Text"
    style = sheets.includes(element) ? new StyleText() : undefined
  }

  const name = (character: string): void => {
    if (character === ">") leave()
    else if (character === "=" && attribute !== "") {
      state = "Before"
      said = ""
      style = isStyle() ? new StyleText() : undefined
    } else if (/[\s/]/.test(character)) isNameWhole = true
    else {
      attribute = isNameWhole ? character.toLowerCase() : (attribute + character.toLowerCase()).slice(0, longest)
      isNameWhole = false
    }
  }

  const value = (text: string, at: number): number => {
    const end = quote === "" ? at + text.slice(at).search(/[\s>]/) : text.indexOf(quote, at)
    const isOpen = end < at
    if (style !== undefined) {
      const read = text.slice(at, isOpen ? text.length : end)
      style.text(decode(read), isDoubtful(read) || (isOpen && unended.test(read)))
    }
    if (said.length < longest) said += meaningfulOf(text.slice(at, isOpen ? text.length : end)).slice(0, longest)
    if (isOpen) return text.length
    if (element === "script" && attribute === "type") isData ??= linkedData.test(said)
    toName()
    return quote === "" ? end : end + 1
  }

  const rawText = (text: string, at: number): number => {
    const next = endOfRaw(text, at)
    style?.text(text.slice(at, next))
    if (isData !== true) return next
    for (const [mark] of text.slice(at, next).matchAll(/\\[^]|"/g)) if (mark === "\"") isQuoted = !isQuoted
    return next
  }

  const endOfRaw = (text: string, at: number): number => {
    const end = /<\/([a-z-]+)(?=[\s/>])/gi
    end.lastIndex = at
    for (let found = end.exec(text); found !== null; found = end.exec(text)) {
      if (found[1]?.toLowerCase() !== element) continue
      element = `/${element}`
      toName()
      return end.lastIndex
    }
    return text.length
  }

  /** Consumes the characters up to and including the next change of state; answers where to continue. */
  const step = (text: string, at: number): number => {
    const character = text.charAt(at)
    switch (state) {
      case "Text": {
        const less = text.indexOf("<", at)
        if (less < 0) return text.length
        comment.lastIndex = less
        const [begun = "<", condition] = comment.exec(text) ?? []
        isConditional ||= condition !== undefined
        if (begun === "<") state = "Less"
        else if (begun === "<!--") state = "Comment"
        return less + begun.length
      }
      case "Less":
        element = ""
        isData = undefined
        isQuoted = false
        state = character === "!" || character === "?" ? "Bogus" : /[a-z/]/i.test(character) ? "Tag" : "Text"
        return at
      case "Tag": {
        // The slash of an end tag counts as part of its name.
        const length = text.slice(at).search(element === "" ? /[\s>]|(?!^)\// : /[\s>/]/)
        element = (element + text.slice(at, length < 0 ? at + longest : at + Math.min(length, longest)))
          .slice(0, longest).toLowerCase()
        if (length < 0) return text.length
        // An end tag without a name is a comment, whatever looks like an attribute in it.
        if (/^\/(?![a-z])/.test(element)) state = "Bogus"
        else toName()
        return at + length
      }
      case "Name":
        name(character)
        return at + 1
      case "Before":
        if (/\s/.test(character)) return at + 1
        quote = character === "\"" || character === "'" ? character : ""
        if (character === ">") leave()
        else state = "Value"
        return quote === "" ? at : at + 1
      case "Value":
        return value(text, at)
      case "Comment":
      case "Bogus": {
        const end = text.indexOf(state === "Comment" ? "-->" : ">", at)
        if (end < 0) return text.length
        state = "Text"
        return end
      }
      case "Raw":
        return rawText(text, at)
    }
  }

  const judged = (data: string): string => {
    if (style !== undefined) return escape(style.value(data))
    if (opaque.test(attribute)) return harmless(data)
    if (addresses.test(attribute) && code.test(said)) return harmless(data)
    if (addresses.test(attribute) && said.length < longest) {
      if (!said.includes(":") && beginsUnsafely(said + data)) return ""
      said += meaningfulOf(data).slice(0, longest)
    }
    return escape(attribute === "background-url" ? inStyle(data) : data)
  }

  const attributeValue = (data: string): string =>
    quote === "" ? judged(data).replace(unquoted, (character) => `&#${character.charCodeAt(0)};`) : judged(data)

  /** Reads on in such a comment, up to the end of the text or of the comment; answers where to continue. */
  const within = (text: string, at: number): number => {
    const end = text.indexOf("-->", at)
    const inside = end < 0 ? text : text.slice(0, end)
    for (let next = at; next < inside.length;) next = step(inside, next)
    if (end < 0) return text.length
    state = "Text"
    isConditional = false
    return end
  }

  const written = (data: string): string => {
    switch (state) {
      case "Text":
        return isPreformatted ? escape(data) : escape(data).replaceAll("\n", "<br>\n")
      // Data in a name could make it a script's or a handler's.
      case "Less":
      case "Name":
        return ""
      case "Tag": {
        const digits = data.replace(/\D/g, "").slice(0, 4)
        element += digits
        return digits
      }
      case "Before":
        state = "Value"
        quote = ""
        // If nothing were written, what follows would become the value.
        return attributeValue(data) || "&#32;"
      case "Value":
        return attributeValue(data)
      case "Raw":
        if (escapable.includes(element)) return escape(data)
        return style?.value(data) ?? (isQuoted ? inString(data) : harmless(data))
      // A hyphen could be part of what begins or ends a comment.
      default:
        return harmless(data).replaceAll("-", "")
    }
  }

  /** What is written in such a comment, of whose end a hyphen could be part. Styles and scripts know no `&#45;`. */
  const endless = (made: string): string => {
    if (state !== "Raw" || escapable.includes(element)) return made.replaceAll("-", "&#45;")
    return isQuoted ? made.replaceAll("-", "\\u002d") : made.replace(loose, "")
  }

  /** What was written since the last value, not read yet: after the last one nothing needs to be. */
  let unread = ""

  const read = (): void => {
    const text = unread
    unread = ""
    for (let at = 0; at < text.length;) at = isConditional ? within(text, at) : step(text, at)
  }

  return {
    text: (text) => {
      unread += text
      return text
    },
    value: (data) => {
      read()
      const made = isConditional ? endless(written(data)) : written(data)
      return budget.write(Math.max(0, made.length - data.length)) ? made : ""
    }
  }
}
