import { format } from "#src/content/jsonnet/Format.ts"
import { quoted } from "#src/content/jsonnet/Manifest.ts"
import { binary } from "#src/content/jsonnet/Operators.ts"
import { type Arguments, define } from "#src/content/jsonnet/std/Arguments.ts"
import { lengthOf, part } from "#src/content/jsonnet/Text.ts"
import { ArrayValue, named, type Value } from "#src/content/jsonnet/Value.ts"

const cased = (pattern: RegExp, to: (letter: string) => string) => (given: Arguments): Value =>
  given.string(0).replace(pattern, to)

/** Strips the characters of a set from the ends of a text. */
const stripped = (given: Arguments, text: string, set: ReadonlySet<string>, left: boolean, right: boolean): string => {
  const letters = given.characters(text)
  let [from, to] = [0, letters.length]
  if (left) { while (from < to && set.has(letters[from] ?? "")) from++ }
  if (right) { while (to > from && set.has(letters[to - 1] ?? "")) to-- }
  return letters.slice(from, to).join("")
}

const strips = (name: string, left: boolean, right: boolean) =>
  define(name, "str chars", (given) => {
    const chars = given.value(1)
    const set = typeof chars === "string"
      ? given.characters(chars)
      : given.toItems(chars).map((one) => given.force(one))
    return stripped(given, given.string(0), new Set(set.map((one) => given.toText(one))), left, right)
  })

/** The separator argument of a split; empty if it failed. */
const separator = (given: Arguments, text: string): string => {
  const by = given.string(1)
  if (by === "") given.fail("needs a separator that is not empty")
  return given.searches(text, by) ? by : ""
}

const parts = (given: Arguments, all: ReadonlyArray<string>): Value =>
  given.machine.step(all.length) ? given.array(all) : null

/** The parts between separators that are found from the end of a text. */
const fromRight = (text: string, by: string, most: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let end = text.length
  while (found.length < most && end >= by.length) {
    const at = text.lastIndexOf(by, end - by.length)
    if (at < 0) break
    found.push(text.slice(at + by.length, end))
    end = at
  }
  return [text.slice(0, end), ...found.toReversed()]
}

/** Splits at most `maxsplits` times, and leaves the rest in one part; a negative number splits everywhere. */
const limited = (given: Arguments, isFromRight: boolean): Value => {
  const [text, most] = [given.string(0), given.integer(2)]
  const by = separator(given, text)
  if (by === "") return null
  if (isFromRight && most >= 0) return parts(given, fromRight(text, by, most))
  const all = text.split(by)
  return parts(given, most < 0 || all.length <= most + 1 ? all : [...all.slice(0, most), all.slice(most).join(by)])
}

const radix = (name: string, base: number, digits: RegExp) =>
  define(name, "str", (given) => {
    const text = given.string(0)
    if (!digits.test(text)) return given.fail(`"${text.slice(0, 80)}" is no number of base ${base}`)
    const value = Number.parseInt(text, base)
    return Number.isFinite(value) ? value : given.fail("the number is too large")
  })

/** Where a pattern begins in a text, counted in characters (code points). */
const found = (pattern: string, text: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  let [from, characters] = [0, 0]
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) {
    characters += lengthOf(text.slice(from, at))
    from = at
    places.push(characters)
  }
  return places
}

const xml: ReadonlyMap<string, string> = new Map([
  ["<", "&lt;"],
  [">", "&gt;"],
  ["&", "&amp;"],
  ["\"", "&quot;"],
  ["'", "&apos;"]
])

const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Functions for texts. */
export const strings = [
  define("mod", "a b", (given) => {
    const [a, b] = [given.value(0), given.value(1)]
    return typeof a === "string" ? format(given.machine, a, b, given.at) : binary(given.machine, "%", a, b, given.at)
  }),
  define("format", "str vals", (given) => format(given.machine, given.string(0), given.value(1), given.at)),
  define("char", "n", (given) => {
    const code = given.integer(0)
    if (code < 0 || code > 0x10ffff) return given.fail(`${code} is no character`)
    return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCodePoint(code)
  }),
  define("codepoint", "str", (given) => {
    const [only, ...more] = given.characters(given.string(0))
    return only === undefined || more.length > 0 ? given.fail("needs one character") : only.codePointAt(0) ?? 0
  }),
  define("substr", "str from len", (given) => {
    const [text, from, length] = [given.string(0), given.integer(1), given.integer(2)]
    return from < 0 || length < 0
      ? given.fail("needs numbers that are not below zero")
      : part(text, from, from + length)
  }),
  define("startsWith", "a b", (given) => given.string(0).startsWith(given.string(1))),
  define("endsWith", "a b", (given) => given.string(0).endsWith(given.string(1))),
  define("isEmpty", "str", (given) => given.string(0) === ""),
  define("equalsIgnoreCase", "str1 str2", (given) => lower(given.string(0)) === lower(given.string(1))),
  define("asciiUpper", "str", cased(/[a-z]/g, (letter) => letter.toUpperCase())),
  define("asciiLower", "str", cased(/[A-Z]/g, (letter) => letter.toLowerCase())),
  strips("stripChars", true, true),
  strips("lstripChars", true, false),
  strips("rstripChars", false, true),
  define(
    "trim",
    "str",
    (given) => stripped(given, given.string(0), new Set([" ", "\t", "\n", "\f", "\r", "\u0085", "\u00a0"]), true, true)
  ),
  define("stringChars", "str", (given) => given.array(given.characters(given.string(0)))),
  define("split", "str c", (given) => {
    const text = given.string(0)
    const by = separator(given, text)
    return by === "" ? null : parts(given, text.split(by))
  }),
  define("splitLimit", "str c maxsplits", (given) => limited(given, false)),
  define("splitLimitR", "str c maxsplits", (given) => limited(given, true)),
  define("strReplace", "str from to", (given) => {
    const [text, to] = [given.string(0), given.string(2)]
    const by = separator(given, text)
    if (by === "") return null
    const all = text.split(by)
    return given.machine.look(text.length + all.length * (to.length + 8)) ? all.join(to) : null
  }),
  define("findSubstr", "pat str", (given) => {
    const [pattern, text] = [given.string(0), given.string(1)]
    const places = pattern !== "" && given.searches(text, pattern) && given.machine.room(text.length)
      ? found(pattern, text)
      : []
    return given.machine.step(places.length) ? given.array(places) : null
  }),
  define(
    "escapeStringJson",
    "str",
    (given) => given.made(quoted(given.machine.text(given.value(0), given.at)))
  ),
  define("escapeStringXML", "str", (given) => {
    const text = given.machine.text(given.value(0), given.at)
    return given.machine.look(text.length * 6) ? text.replace(/[<>&"']/g, (letter) => xml.get(letter) ?? letter) : null
  }),
  radix("parseInt", 10, /^-?[0-9]{1,400}$/),
  radix("parseOctal", 8, /^[0-7]{1,400}$/),
  radix("parseHex", 16, /^[0-9a-fA-F]{1,400}$/),
  define("encodeUTF8", "str", (given) => {
    const bytes = new TextEncoder().encode(given.string(0))
    return given.machine.step(bytes.length >> 2) ? given.array([...bytes]) : null
  }),
  // A byte order mark is a character like others, not the decoder's own.
  define(
    "decodeUTF8",
    "arr",
    (given) => given.made(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(given, given.value(0))))
  ),
  define("base64", "input", (given) => {
    const input = given.value(0)
    const bytes = typeof input === "string"
      ? Uint8Array.from(given.characters(given.string(0)), (letter) => {
        const code = letter.codePointAt(0) ?? 0
        if (code > 255) given.fail("a character is beyond the first 256")
        return code
      })
      : bytesOf(given, input)
    return given.made(Buffer.from(bytes).toString("base64"))
  }),
  define("base64Decode", "str", (given) => given.made(decoded(given).toString("latin1"))),
  define("base64DecodeBytes", "str", (given) => {
    const bytes = decoded(given)
    return given.machine.step(bytes.length >> 2) ? given.array([...bytes]) : null
  })
]

const decoded = (given: Arguments): Buffer => {
  const text = given.string(0)
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) given.fail("this is no base64")
  return Buffer.from(text, "base64")
}

const bytesOf = (given: Arguments, input: Value): Uint8Array => {
  if (!(input instanceof ArrayValue)) {
    given.fail(`needs an array of bytes, and not ${named(input)}`)
    return new Uint8Array()
  }
  return Uint8Array.from(given.toItems(input), (item) => {
    const byte = given.machine.step() ? given.force(item) : 0
    if (typeof byte === "number" && Number.isInteger(byte) && byte >= 0 && byte <= 255) return byte
    given.fail("a byte is a whole number up to 255")
    return 0
  })
}
