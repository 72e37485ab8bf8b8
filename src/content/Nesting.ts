/**
 * An unterminated string is matched to the end of the text: otherwise it would be tried again from each of its quotes,
 * in quadratic time.
 */
const mark = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs

/** Whether a JSON text is nested deeper than `deepest`; asked before it is parsed, since a parser may recurse. */
export const nestsDeeper = (json: string, deepest: number): boolean => {
  let depth = 0
  for (const [found] of json.matchAll(mark)) {
    if (found === "[" || found === "{") depth++
    else if (found === "]" || found === "}") depth--
    if (depth > deepest) return true
  }
  return false
}
