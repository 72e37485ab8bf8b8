import { Cue } from "#layers/testing/Cue.ts"
import { Profile } from "#schemas/Profile.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Instructions, SendMessage } from "#schemas/SendMessage.ts"
import { Template } from "#schemas/Template.ts"
import { Arbitrary, type Array, Schema } from "effect"

/** Any message of POST /send that its schema accepts, sensible or not. */
export const sends: Arbitrary.Arbitrary<SendMessage> = Arbitrary.schema(SendMessage)

/** Any message of POST /send to one of these recipients. */
export const sendsTo = (
  recipients: Array.NonEmptyReadonlyArray<typeof Recipient.Encoded>
): Arbitrary.Arbitrary<typeof SendMessage.Encoded> =>
  Arbitrary.all({
    index: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: recipients.length - 1 }))),
    instructions: Arbitrary.schema(Instructions)
  }).pipe(
    Arbitrary.map(({ index, instructions }): typeof SendMessage.Encoded => ({
      ...instructions,
      to: recipients[index] ?? recipients[0]
    }))
  )

/** Any stored profile. */
export const profiles: Arbitrary.Arbitrary<Profile> = Arbitrary.schema(Profile)

/** Any template. */
export const templates: Arbitrary.Arbitrary<Template> = Arbitrary.schema(Template)

/** What a provider does with its first calls, in their order (`VendorOptions.script`). */
export const scripts: Arbitrary.Arbitrary<ReadonlyArray<Cue>> = Arbitrary.schema(
  Schema.Array(Cue).check(Schema.isMaxLength(12))
)
