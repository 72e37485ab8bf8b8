const pairs = /[\ud800-\udfff]/

/** The characters of a text. A surrogate pair is one, as in the language. */
export const characters = (text: string): ReadonlyArray<string> => pairs.test(text) ? [...text] : text.split("")

/** Code units of the character that begins there. A surrogate without its other half is one of its own. */
const widthAt = (text: string, at: number): 1 | 2 =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1

/** Where in a text its character of this number begins, in code units: its end if it has fewer. */
const indexOf = (text: string, number: number): number => {
  let at = 0
  for (let passed = 0; passed < number && at < text.length; passed++) at += widthAt(text, at)
  return at
}

export const lengthOf = (text: string): number => {
  if (!pairs.test(text)) return text.length
  let length = 0
  for (let at = 0; at < text.length; length++) at += widthAt(text, at)
  return length
}

/** The characters from `from` up to but not including `to`. */
export const part = (text: string, from: number, to: number): string => {
  if (!pairs.test(text)) return text.slice(from, to)
  const start = indexOf(text, from)
  return text.slice(start, start + indexOf(text.slice(start), to - from))
}

/** A number as text: the shortest digits that are this number, and never an exponent for a whole one. */
export const numeral = (value: number): string => Number.isInteger(value) ? BigInt(value).toString() : String(value)
