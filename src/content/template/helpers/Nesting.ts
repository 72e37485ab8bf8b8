const deepest = 64

/** A text that does not end goes to the end: tried again from each of its quotes, it would take the square of its length. */
const mark = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs

/** Whether lists and objects of a JSON text are nested deeper than a template may use, told before it is parsed. */
export const nestsTooDeep = (json: string): boolean => {
  let depth = 0
  for (const [found] of json.matchAll(mark)) {
    if (found === "[" || found === "{") depth++
    else if (found === "]" || found === "}") depth--
    if (depth > deepest) return true
  }
  return false
}
