const size = /^(\d{1,4}(?:\.\d{1,3})?)(px|%)?$/

/** A width, `120px` or `50%`; a number alone is pixels. */
export const length = (said: string): string | undefined => {
  const [, number, unit] = size.exec(said.trim()) ?? []
  return number === undefined ? undefined : `${number}${unit ?? "px"}`
}

/** The largest number alone that is a line's height in letters: lines of so few pixels could not be read. */
const mostLetters = 4

/** The height of a line: a length, or a number as CSS has it, `1.5` for one and a half letters. */
export const lineHeight = (said: string): string | undefined => {
  const made = length(said)
  const isBare = made === `${said.trim()}px`
  return isBare && Number(said) <= mostLetters ? said.trim() : made
}

/** The margins of a box: one length, or up to four of its sides as in CSS, `10px 20px`. */
export const padding = (said: string): string | undefined => {
  const sides = said.trim().split(/\s+/).map(length)
  return sides.length > 4 || sides.includes(undefined) ? undefined : sides.join(" ")
}
