/**
 * Cuts a text to at most `longest` UTF-16 units, with an ellipsis for what is cut off. No platform counts a text longer
 * than in UTF-16 units. Surrogate pairs, and backslashes with what they escape, are never split.
 */
export const cut = (text: string, longest: number): string => {
  if (text.length <= longest) return text
  let end = 0
  for (const [token] of text.matchAll(/\\[\s\S]|[\s\S]/gu)) {
    if (end + token.length >= longest) break
    end += token.length
  }
  return `${text.slice(0, end)}…`
}

/** The first `most` UTF-16 units of a text, or one less where the last would be half of a surrogate pair. */
export const start = (text: string, most: number): string =>
  most >= text.length ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, "")
