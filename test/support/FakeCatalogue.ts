import { Catalogue, entry } from "#src/delivery/providers/Catalogue.ts"
import type { Delivery, Vendor } from "#src/delivery/Provider.ts"
import type { ProviderDefinition } from "#src/delivery/providers/ProviderDefinition.ts"
import { Context, Effect, Layer, Redacted, Schema } from "effect"

/** What the vendors of a catalogue of doubles went through, in order. */
export interface Seen {
  readonly built: Array<string>
  readonly closed: Array<string>
  readonly sent: Array<string>
  /** Under which secret it was asked about tickets. */
  readonly asked: Array<string>
}

const mail = Schema.Struct({
  api_key: Schema.RedactedFromValue(Schema.NonEmptyString),
  base_url: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:/))),
  region: Schema.optional(Schema.NullOr(Schema.Literals(["us", "eu"]))),
  verbose: Schema.optionalKey(Schema.Boolean),
  dkim: Schema.optional(Schema.NullOr(Schema.Struct({
    domain: Schema.String,
    private_key: Schema.RedactedFromValue(Schema.String)
  })))
})

const text = Schema.Struct({
  account: Schema.String,
  token: Schema.optional(Schema.NullOr(Schema.RedactedFromValue(Schema.String)))
})

/** Vendors that keep what they hold open until their scope ends, and remember under which secret they sent. */
export const make = (onSend: (delivery: Delivery) => Effect.Effect<void> = () => Effect.void) => {
  const seen: Seen = { built: [], closed: [], sent: [], asked: [] }
  const building = (key: string, channel: string, secret: string) =>
    Effect.acquireRelease(
      Effect.sync((): Vendor => {
        const name = `${key} ${secret}`
        seen.built.push(name)
        return {
          _tag: "Vendor",
          key,
          channel,
          reaches: () => true,
          send: (delivery) =>
            onSend(delivery).pipe(Effect.andThen(Effect.sync(() => {
              seen.sent.push(seen.closed.includes(name) ? `${name}, closed` : name)
              return { reference: undefined }
            }))),
          ...(channel === "email"
            ? {
              receipts: () =>
                Effect.sync(() => {
                  seen.asked.push(seen.closed.includes(name) ? `${name}, closed` : name)
                  return new Map()
                })
            }
            : {})
        }
      }),
      () => Effect.sync(() => seen.closed.push(`${key} ${secret}`))
    )
  const mailer = (key: string, name: string): ProviderDefinition<typeof mail.Type> => ({
    key,
    name,
    description: "A double",
    channel: "email",
    settings: mail,
    places: ["base_url"],
    make: ({ api_key: secret }) => building(key, "email", Redacted.value(secret))
  })
  const texter: ProviderDefinition<typeof text.Type> = {
    key: "twilio",
    name: "Twilio",
    description: "A double",
    channel: "sms",
    settings: text,
    places: [],
    make: ({ account }) => building("twilio", "sms", account)
  }
  const entries = [entry(mailer("sendgrid", "SendGrid")), entry(mailer("aws-ses", "Amazon SES")), entry(texter)]
  return { seen, layer: Layer.succeed(Catalogue, { entries: entries.map((made) => made(Context.empty())) }) }
}
