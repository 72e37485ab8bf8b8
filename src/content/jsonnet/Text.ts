const pairs = /[\ud800-\udfff]/

/** The characters of a text. A surrogate pair is one, as in the language. */
export const characters = (text: string): ReadonlyArray<string> => pairs.test(text) ? [...text] : text.split("")

export const lengthOf = (text: string): number => pairs.test(text) ? [...text].length : text.length

/** The characters from `from` up to but not including `to`. */
export const part = (text: string, from: number, to: number): string =>
  pairs.test(text) ? [...text].slice(from, to).join("") : text.slice(from, to)

/** A number as text: the shortest digits that are this number, and never an exponent for a whole one. */
export const numeral = (value: number): string => Number.isInteger(value) ? BigInt(value).toString() : String(value)
