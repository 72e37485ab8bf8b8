const deepest = 64

const mark = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs

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
