import { reader } from "#src/content/jsonnet/Data.ts"
import { jsonText, lines, minified } from "#src/content/jsonnet/Manifest.ts"
import { define } from "#src/content/jsonnet/std/Arguments.ts"
import { nestsDeeper } from "#src/content/Nesting.ts"
import { Option, Schema } from "effect"

const parsed = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** The longest JSON text, and how deep its brackets may be nested. */
const [longest, deepest] = [262_144, 128]

/** Functions that write and parse JSON text. */
export const texts = [
  define(
    "manifestJson",
    "value",
    (given) => jsonText(given.machine, given.value(0), lines("    ", "\n", ": "), given.at)
  ),
  define("manifestJsonEx", "value indent newline? key_val_sep?", (given) =>
    jsonText(
      given.machine,
      given.value(0),
      lines(given.string(1), given.string(2, "\n"), given.string(3, ": ")),
      given.at
    )),
  define("manifestJsonMinified", "value", (given) => jsonText(given.machine, given.value(0), minified, given.at)),
  define("parseJson", "str", (given) => {
    const text = given.string(0)
    if (text.length > longest || nestsDeeper(text, deepest)) return given.fail("the JSON is too long or too deep")
    if (!given.machine.step(text.length >> 4)) return null
    const found = parsed(text)
    return Option.isSome(found) ? reader(given.machine)(found.value) : given.fail("this is no JSON")
  })
]
