import type { BulkMessage } from "#schemas/Bulk.ts"
import { isObject } from "#schemas/Json.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Text from "#schemas/Text.ts"
import { SendRefused } from "#src/delivery/intake/Drafts.ts"
import * as OlderNames from "#src/delivery/intake/OlderNames.ts"
import * as Storable from "#src/delivery/intake/Storable.ts"
import { Effect, Schema } from "effect"

type Settings = { readonly [name: string]: { readonly override?: JsonMap | null | undefined } }

const decodeChannels = Schema.decodeUnknownEffect(
  Schema.NullishOr(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)))
)

/** Settings by name: what the message itself says wins over what the older form (`overrides`) says of the same name. */
const settings = <S extends Settings>(own: S | null | undefined, overrides: JsonMap) => {
  const older = Object.entries(overrides).flatMap(([name, override]) =>
    isObject(override) ? [[name, { override }] as const] : []
  )
  const under = new Map(older)
  return Object.fromEntries([
    ...older,
    ...Object.entries(own ?? {}).map(([name, given]) => [name, { ...under.get(name), ...given }] as const)
  ])
}

/** A job's definition as the instructions of a send (api.md §13). */
export const instructions = Effect.fnUntraced(function*(
  { brand, event, locale: _, override, ...message }: BulkMessage
): Effect.fn.Return<Instructions, SendRefused> {
  const content = message.content ?? undefined
  const template = message.template ?? event ?? undefined
  if (content === undefined && template === undefined) {
    return yield* new SendRefused({ detail: "message: one of event, template and content is required" })
  }
  const { channel, ...providers } = override ?? {}
  const channels = yield* decodeChannels(channel).pipe(
    Effect.mapError(() => new SendRefused({ detail: "message.override.channel: Expected an object for each channel" }))
  )
  const { brand_id: brandId, metadata } = message
  const made = OlderNames.replaced({
    ...message,
    content,
    template: content === undefined ? template : undefined,
    brand_id: brandId ?? brand,
    metadata: { ...metadata, event: metadata?.event ?? event },
    channels: settings(message.channels, channels ?? {}),
    providers: settings(message.providers, providers)
  })
  const long = Storable.tooLongOfMessage(made)
  if (long !== undefined) return yield* new SendRefused({ detail: `message.${long}` })
  const refused = Storable.refusedOfMessage(made)
  if (refused !== undefined) return yield* new SendRefused({ detail: `message.${refused}: ${Text.unstorable}` })
  return made
})
