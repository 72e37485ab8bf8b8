/**
 * A text of at most so many UTF-16 units, the most that any platform counts, with an ellipsis in place of what is cut off. Neither a character nor a
 * backslash and what it escapes is cut in two.
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
