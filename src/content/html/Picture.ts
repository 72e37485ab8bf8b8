import { escape } from "#src/content/html/Escape.ts"

/** Where the body ends: at its last end tag, unless that is in a comment. Takes time linear in the length of the HTML. */
const endOfBody = (html: string): number => {
  let at = html.lastIndexOf("</")
  while (at >= 0) {
    const isBody = /^body[\t\n\f\r />]?$/i.test(html.slice(at + 2, at + 7))
    const comment = isBody ? html.lastIndexOf("<!--", at) : -1
    if (isBody && (comment < 0 || html.slice(comment, at).includes("-->"))) return at
    const before = isBody ? comment : at
    at = before === 0 ? -1 : html.lastIndexOf("</", before - 1)
  }
  return html.length
}

/**
 * The HTML with a picture that nobody sees. It comes last, so that a mail that is cut off by its client is not taken for
 * one that was read.
 */
export const withPicture = (html: string, address: string): string => {
  const end = endOfBody(html)
  const picture = `<img src="${escape(address)}" width="1" height="1" alt="" style="border:0">`
  return html.slice(0, end) + picture + html.slice(end)
}
