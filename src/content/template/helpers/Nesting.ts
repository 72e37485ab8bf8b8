const deepest = 64

/**
 * An unterminated string is matched to the end of the text: otherwise it would be tried again from each of its quotes,
 * in quadratic time.
 */
const mark = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs

/** Whether a JSON text is nested deeper than templates allow; checked before it is parsed. */
export const nestsTooDeep = (json: string): boolean => {
  let depth = 0
  for (const [found] of json.matchAll(mark)) {
    if (found === "[" || found === "{") depth++
    else if (found === "]" || found === "}") depth--
    if (depth > deepest) return true
  }
  return false
}
