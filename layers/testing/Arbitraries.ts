import { type Cue, DrawnCue } from "#layers/testing/Cue.ts"
import type { GivenTemplate } from "#layers/testing/Given.ts"
import { Content } from "#schemas/Elemental.ts"
import { Profile } from "#schemas/Profile.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Instructions, SendMessage } from "#schemas/SendMessage.ts"
import { TemplateContent } from "#schemas/Template.ts"
import { Arbitrary, type Array, Schema, Struct } from "effect"

export type { GivenTemplate } from "#layers/testing/Given.ts"
export type { Routing } from "#schemas/Routing.ts"

/** Any message of POST /send that its schema accepts, sensible or not: the API refuses most of them. */
export const sends: Arbitrary.Arbitrary<SendMessage> = Arbitrary.schema(SendMessage)

const oneOf = <A>(items: Array.NonEmptyReadonlyArray<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: items.length - 1 }))).pipe(
    Arbitrary.map((n) => items[n] ?? items[0])
  )

const instructions = Arbitrary.schema(Schema.Struct(Struct.omit(Instructions.fields, ["content", "template"])))

/** A title and a body, and perhaps more: elements alone would be of unknown types, and say nothing. */
const contents = Arbitrary.schema(Schema.Struct({ ...Content.fields, title: Schema.String, body: Schema.String }))

/**
 * Any message of POST /send to one of these recipients, with a content of its own or one of these templates (ids of
 * `Given.templates`). The API accepts nearly all of them.
 */
export const sendsTo = (
  recipients: Array.NonEmptyReadonlyArray<typeof Recipient.Encoded>,
  templates: ReadonlyArray<string> = []
): Arbitrary.Arbitrary<typeof SendMessage.Encoded> =>
  Arbitrary.all({
    to: oneOf(recipients),
    template: oneOf([undefined, ...templates]),
    content: contents,
    others: instructions
  }).pipe(
    Arbitrary.map(({ content, others, template, to }) => ({
      ...others,
      to,
      ...(template === undefined ? { content } : { template })
    }))
  )

/** Any profile, as `Given.profiles` takes it. It has no address but by chance. */
export const profiles: Arbitrary.Arbitrary<Profile> = Arbitrary.schema(Profile)

/**
 * Any template, as `Given.templates` takes it. It begins with a text: a template of nothing, or of unknown types alone,
 * is sent to nobody.
 */
export const templates: Arbitrary.Arbitrary<GivenTemplate> = Arbitrary.all({
  template: Arbitrary.schema(TemplateContent),
  said: Arbitrary.schema(Schema.NonEmptyString)
}).pipe(
  Arbitrary.map(({ said, template }) => ({
    ...template,
    elements: [{ type: "text", content: said }, ...template.elements]
  }))
)

/** What a provider does with its first calls, in their order (`VendorOptions.script`). */
export const scripts: Arbitrary.Arbitrary<ReadonlyArray<Cue>> = Arbitrary.schema(
  Schema.Array(DrawnCue).check(Schema.isMaxLength(12))
)
