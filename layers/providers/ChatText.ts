import type { Rendered } from "#schemas/Rendered.ts"

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
export const push = (rendered: Rendered): { readonly title: string; readonly body: string } => ({
  title: plain(rendered.title),
  body: plain(rendered.body === "" ? rendered.text : rendered.body)
})
