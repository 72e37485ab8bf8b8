const quote = 0x22
const backslash = 0x5c
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

/**
 * How deep arrays and objects nest in a JSON text, without parsing it: 0 for a scalar, 1 for `[]`. Brackets inside strings do not count.
 *
 * Counting stops as soon as the depth is over `limit`, so a text of nothing but `[` costs `limit` steps. For a text that is not JSON
 * the answer is at least the depth a parser reaches before it finds the fault.
 */
export const jsonDepth = (text: string, limit: number): number => {
  let depth = 0
  let deepest = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      index = endOfString(text, index)
    } else if ((code | caseBit) === opening) {
      depth++
      if (depth > deepest) deepest = depth
      if (depth > limit) return depth
    } else if ((code | caseBit) === closing) {
      depth--
    }
  }
  return deepest
}
