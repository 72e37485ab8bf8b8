import type { Rendered } from "#schemas/Rendered.ts"
import type { Schema } from "effect"
import { Buffer } from "node:buffer"

/**
 * Discord: a masked link hides where it leads and `<@…>` mentions, so what makes them is escaped, and the escape with
 * it. Bare `@everyone` is switched off by `allowed_mentions`, not here.
 */
export const discord = (text: string): string => text.replaceAll(/[\\[\]<>]/g, (character) => `\\${character}`)

/** Plain text without control characters; line ends and tabs stay. */
export const plain = (text: string): string =>
  text.replaceAll(/\r\n?/g, "\n").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")

/** A message of a text channel: `text`, else `body`. */
export const sms = (rendered: Rendered): string => plain(rendered.text === "" ? rendered.body : rendered.text)

/** A chat message: the title as its first line, marked up by `bold`, then the body; both through `escape`. */
export const chat = (
  rendered: Rendered,
  escape: (text: string) => string,
  bold: (text: string) => string
): string => {
  const title = escape(plain(rendered.title).replaceAll("\n", " ").trim())
  const body = escape(plain(rendered.body === "" ? rendered.text : rendered.body))
  return [title === "" ? "" : bold(title), body].filter((part) => part !== "").join("\n")
}

/** A push notification's two parts. */
export interface Alert extends Schema.JsonObject {
  readonly title: string
  readonly body: string
}

/** What Apple, Google and Expo take of a notification, in bytes of JSON; a larger one is refused whole. */
const largest = 4_096

const bytes = (json: Schema.Json): number => Buffer.byteLength(JSON.stringify(json))

/** The text in at most so many bytes of JSON, cut between characters. */
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
 * The payload that `write` makes of a push notification; of one that would be larger than devices' platforms take the end of the body is left
 * out, which no lock screen shows. What the rest of the payload alone is too large for stays too large.
 */
export const push = (rendered: Rendered, write: (alert: Alert) => Schema.JsonObject): Schema.JsonObject => {
  const body = plain(rendered.body === "" ? rendered.text : rendered.body)
  const alert = { title: plain(rendered.title), body }
  const whole = write(alert)
  const over = bytes(whole) - largest
  return over <= 0 ? whole : write({ ...alert, body: within(body, Math.max(bytes("…"), bytes(body) - over)) })
}
