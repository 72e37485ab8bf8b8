type Parse = typeof JSON.parse

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/** The index of the quote that ends the string in which `from` is. */
const endOf = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  return text.length
}

/** Whether the string that ends at `end` is the key of a member. */
const isKey = (text: string, end: number): boolean => {
  let at = end + 1
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return text.charCodeAt(at) === colon
}

/** Whether a key of this JSON has an escape in it. */
const hasEscapedKey = (text: string): boolean => {
  for (let at = text.indexOf("\\"); at !== -1;) {
    const end = endOf(text, at)
    if (isKey(text, end)) return true
    at = text.indexOf("\\", end)
  }
  return false
}

/** JSON whose keys are numbers, which stand for the keys at these indices. The blank keeps their order. */
const numbered = (text: string): { readonly text: string; readonly keys: ReadonlyArray<string> } => {
  const keys: Array<string> = []
  const parts: Array<string> = []
  let done = 0
  for (let at = text.indexOf("\""); at !== -1;) {
    const end = endOf(text, at + 1)
    if (isKey(text, end)) {
      parts.push(text.slice(done, at), `"${keys.push(text.slice(at, end + 1)) - 1} "`)
      done = end + 1
    }
    at = text.indexOf("\"", end + 1)
  }
  return { text: parts.join("") + text.slice(done), keys }
}

/**
 * `JSON.parse` with the keys that the text has, given one that is at fault for escaped ones: it takes an escape at which
 * the key of an earlier object had a backslash for that backslash, whoever's object that was (nodejs/node#63785, in the V8
 * of Node 24 and Deno 2.9). Texts without an escape in a key are parsed as ever, and so are those that come with a reviver.
 */
export const mended = (parse: Parse): Parse => (text, reviver) => {
  const value = parse(text, reviver)
  if (reviver !== undefined || typeof text !== "string" || !hasEscapedKey(text)) return value
  const { keys, text: plain } = numbered(text)
  const keyOf = (number: string): string => parse(keys[Number.parseInt(number)] ?? "\"\"")
  return parse(plain, (_, value: unknown) =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([number, member]) => [keyOf(number), member])))
}

/** Whether this parser is at fault. */
export const isAtFault = (parse: Parse): boolean => {
  parse(`{"tidings":[],"\\\\":0}`)
  return !Object.hasOwn(parse(`{"tidings":0,"\\n":0}`), "\n")
}

/** Mends `JSON.parse` for all of this process, its libraries too, where it needs that. */
export const install = (): void => {
  if (isAtFault(JSON.parse)) JSON.parse = mended(JSON.parse)
}
