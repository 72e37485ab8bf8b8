import { start } from "#src/content/Cut.ts"
import { escape } from "#src/content/html/Escape.ts"

const longest = 140

/** Invisible characters after the preheader, which keep a client from showing the mail's body after it. */
export const filler = "&#8199;&#847; ".repeat(48)

/** The preheader of a mail that begins with these words, as HTML; empty if there are none. */
export const preheader = (first: string): string => {
  const text = first.replace(/\s+/g, " ").trim()
  const cut = text.length <= longest ? text : `${start(text, longest).trimEnd()}…`
  return cut === "" ? "" : `${escape(cut)} `
}
