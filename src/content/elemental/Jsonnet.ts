import type { Element } from "#schemas/Elemental.ts"
import { isList, isObject, type Value } from "#schemas/Json.ts"
import type { Block } from "#src/content/Block.ts"
import { limits } from "#src/content/Budget.ts"
import type { Fields } from "#src/content/elemental/Fields.ts"
import type { Audience } from "#src/content/elemental/Walk.ts"
import { evaluate } from "#src/content/jsonnet/Jsonnet.ts"
import { member } from "#src/content/Own.ts"
import type { Scope } from "#src/content/Variables.ts"
import type { Schema } from "effect"

/** The card that an attachment of Teams holds; anything else as it is. */
const cardOf = (made: Value): Value => isObject(member(made, "content")) ? member(made, "content") : made

/** The platforms that have native elements, and what may wrap several of them there. */
export const platforms = [
  {
    provider: "slack",
    inside: (made: Value): Value => isObject(made) ? member(made, "blocks") ?? made : made,
    expected: "a block of Slack's, an array of them, or an object with \"blocks\""
  },
  {
    provider: "msteams",
    // Attachments are unwrapped to their cards; cards are merged when the message becomes a single one.
    inside: (made: Value): Value => {
      const all = member(made, "attachments")
      return isList(all) && all.length > 0 ? all.map((one) => cardOf(one) ?? null) : cardOf(made)
    },
    expected: "an element of an adaptive card, an array of them, or a card"
  }
] as const

const isShallow = (value: Value, depth = 0): boolean =>
  depth <= limits.depth &&
  (isList(value)
    ? value.every((item) => isShallow(item, depth + 1))
    : !isObject(value) || Object.values(value).every((item) => isShallow(item, depth + 1)))

const isNative = (value: Schema.Json): value is Schema.JsonObject =>
  isObject(value) && typeof value["type"] === "string" && value["type"] !== ""

/**
 * The native elements that a `jsonnet` element's program makes for Slack or Teams; for every other provider and channel
 * the element renders as nothing (courier.com/docs, Jsonnet blocks). The program is the element's `template`, in api.md
 * its `content`. It makes one element of the platform, or an array of them. Two things are our own choice: `null`s in
 * the array are skipped, and wrappers of several elements are opened.
 */
export const natives = (
  element: Element,
  inside: Scope,
  fields: Fields,
  { channel, providers }: Pick<Audience, "channel" | "providers">
): ReadonlyArray<Block> => {
  const platform = channel === "direct_message"
    ? platforms.find(({ provider }) => providers.includes(provider))
    : undefined
  if (platform === undefined) return []
  const { budget } = fields
  const source = fields.source(element, typeof element["template"] === "string" ? "template" : "content")
  const made = platform.inside(evaluate(source, inside, budget))
  if (budget.failure !== undefined) return []
  const all = (isList(made) ? made : [made ?? null]).filter((one) => one !== null)
  if (!isShallow(all)) budget.fail(`What the jsonnet makes is nested more than ${limits.depth} deep`)
  else if (!all.every(isNative)) budget.fail(`The jsonnet makes something else than ${platform.expected}`)
  return all.filter(isNative).map((json) => ({ _tag: "Native", json }))
}
