const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
// `[` and `{` differ in one bit, and so do `]` and `}`.
const caseBit = 0x20
const opening = 0x7b
const closing = 0x7d

const isEscaped = (text: string, index: number): boolean => {
  let backslashes = 0
  while (text.charCodeAt(index - 1 - backslashes) === backslash) backslashes++
  return (backslashes & 1) === 1
}

const endOfString = (text: string, start: number): number => {
  let index = start
  do {
    index = text.indexOf("\"", index + 1)
  } while (index !== -1 && isEscaped(text, index))
  return index === -1 ? text.length : index
}

/** The size of a JSON text. */
export interface JsonSize {
  /** How deep arrays and objects nest: 0 for a scalar, 1 for `[]`. */
  readonly depth: number
  /**
   * Its values, counted without parsing: one for the whole text, one for each comma and one for each opening bracket.
   */
  readonly values: number
}

/**
 * The size of a JSON text, without parsing it; characters within strings do not count. Counting stops as soon as either
 * number is over its limit, so a text of nothing but `[` costs `limit.depth` steps. For a text that is not JSON, both
 * are at least what a parser reaches before it finds the fault.
 */
export const jsonSize = (text: string, limit: JsonSize): JsonSize => {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let index = 0; index < text.length && values <= limit.values && deepest <= limit.depth; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      index = endOfString(text, index)
    } else if (code === comma) {
      values++
    } else if ((code | caseBit) === opening) {
      values++
      if (++depth > deepest) deepest = depth
    } else if ((code | caseBit) === closing) {
      depth--
    }
  }
  return { depth: deepest, values }
}
