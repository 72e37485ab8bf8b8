import type { Rendered } from "#schemas/Rendered.ts"
import type { Schema } from "effect"
import { Buffer } from "node:buffer"

/** A line that begins as a heading is looked for within that line: from each of many that are blank, over all that follow would take forever. */
const escaped = /https?:\/\/[^\s\\[\]<>]+|^(?:[^\S\n\r\u2028\u2029]|-)*#|[\\[\]<>*_~`|]/gm

/**
 * Discord: escapes what it formats, the characters of masked links, which hide where they lead, and of `<@…>` mentions,
 * and the escape character itself. Addresses are left as they are, or they would be no links. Bare `@everyone` is
 * switched off by `allowed_mentions`, not here.
 */
export const discord = (text: string): string =>
  text.replaceAll(
    escaped,
    (found) => found.startsWith("http") ? found : `${found.slice(0, -1)}\\${found.slice(-1)}`
  )

/** Plain text without control characters; line ends and tabs stay. */
export const plain = (text: string): string =>
  text.replaceAll(/\r\n?/g, "\n").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")

/** The text of a text message: `text`, else `body`. */
export const sms = (rendered: Rendered): string => plain(rendered.text === "" ? rendered.body : rendered.text)

/** The text of a chat message or a push: `body`, else `text`. */
export const body = (rendered: Rendered): string => plain(rendered.body === "" ? rendered.text : rendered.body)

/** A chat message: the title as its first line, formatted by `bold`, then the body. `escape` is applied to both. */
export const chat = (
  rendered: Rendered,
  escape: (text: string) => string,
  bold: (text: string) => string
): string => {
  const title = escape(plain(rendered.title).replaceAll("\n", " ").trim())
  return [title === "" ? "" : bold(title), escape(body(rendered))].filter((part) => part !== "").join("\n")
}

/** The two texts of a push notification. */
export interface Alert extends Schema.JsonObject {
  readonly title: string
  readonly body: string
}

/** What Apple, Google and Expo accept of a notification, in bytes of JSON. They refuse a larger one. */
const largest = 4_096

const bytes = (json: Schema.Json): number => Buffer.byteLength(JSON.stringify(json))

/** Cuts the text to at most `most` bytes of JSON, between characters. */
const within = (text: string, most: number): string => {
  let left = most - bytes("…")
  let end = 0
  for (const character of text) {
    left -= bytes(character) - bytes("")
    if (left < 0) break
    end += character.length
  }
  return end === text.length ? text : `${text.slice(0, end)}…`
}

/**
 * The payload that `write` makes of a push notification; of one without a text it is given `undefined`, since a silent
 * push is all in the override. If it is larger than the platforms accept, the end of the body is cut off, which no lock
 * screen shows. If it is too large even without the body, it stays too large.
 */
export const push = (
  rendered: Rendered,
  write: (alert: Alert | undefined) => Schema.JsonObject
): Schema.JsonObject => {
  const alert = { title: plain(rendered.title), body: body(rendered) }
  if (alert.title === "" && alert.body === "") return write(undefined)
  const whole = write(alert)
  const over = bytes(whole) - largest
  return over <= 0
    ? whole
    : write({ ...alert, body: within(alert.body, Math.max(bytes("…"), bytes(alert.body) - over)) })
}
