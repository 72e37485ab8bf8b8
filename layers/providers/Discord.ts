import * as ChatPlaces from "#layers/providers/ChatPlaces.ts"
import * as ChatText from "#layers/providers/ChatText.ts"
import * as Found from "#layers/providers/Found.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { baseOf, baseUrl, secret } from "#layers/providers/SettingFields.ts"
import { badAddress, define, noFault, reading, type Writer } from "#layers/providers/VendorDefinition.ts"
import type { VendorAnswer } from "#layers/providers/VendorHttp.ts"
import { errorOf, type VendorTable, waitOf } from "#layers/providers/VendorTable.ts"
import type { DiscordAddress } from "#schemas/ChatAddress.ts"
import { Unavailable } from "#schemas/DeliveryError.ts"
import { cut } from "#src/content/Cut.ts"
import { createHash } from "node:crypto"
import { Effect, Redacted, Schema } from "effect"

const Settings = Schema.Struct({ bot_token: secret, ...baseUrl })

/** Stands for `"global": false`, since few limits have a code. */
const notGlobal = "not global"

const table: VendorTable = [
  { code: ["10003", "10013"], kind: "RecipientRejected", invalidates: true },
  // 50007: the user takes no messages from the bot; 50278: they share no server.
  { code: ["50007", "50278"], kind: "RecipientRejected" },
  // The bot may not write in the channel (50001, 50009, 50013), or nobody writes there: it has another form, or is closed.
  {
    code: ["50001", "50009", "50013", "50008", "50024", "40058", "50083", "160005"],
    kind: "RecipientRejected"
  },
  { code: ["20009", "50006", "50035", "200000", "200001", "240000", "40005"], kind: "ContentRejected" },
  // To the same channel.
  { code: ["20016", "20028"], kind: "RateLimited", ofRecipient: true },
  { code: ["40003", "40062"], kind: "RateLimited" },
  { code: ["40004", "130000"], kind: "Unavailable" },
  { status: 413, kind: "ContentRejected" }
]

/** A message that is limited, and not with all other calls of the bot, is so in its channel. */
const tableOfMessages: VendorTable = [...table, {
  status: 429,
  code: notGlobal,
  kind: "RateLimited",
  ofRecipient: true
}]

const channel = reading(Schema.Struct({ id: Schema.NonEmptyString }))
const refusal = reading(Schema.Struct({
  code: Schema.optional(Schema.Int),
  message: Schema.optional(Schema.String),
  global: Schema.optional(Schema.Boolean)
}))

const fault = (answer: VendorAnswer) => {
  const said = answer.status < 300 ? undefined : refusal(answer)
  if (said === undefined) return noFault
  const codes = [said.code === 0 ? undefined : said.code?.toString(), said.global === false ? notGlobal : undefined]
  return { codes: codes.filter((code) => code !== undefined), message: said.message ?? "" }
}

/** The most characters of a message; Discord refuses a longer one. */
const longest = 2_000

/** In the form without which Discord may block a client; it needs an address, and there is no page of Tidings. */
const userAgent = "DiscordBot (https://tidings.example, 0.1)"

/** A snowflake; anything else could be another path. */
const isId = (text: string): boolean => /^\d{5,20}$/.test(text)

const writer = Effect.fnUntraced(function*() {
  // Whoever opens many direct messages too quickly is limited or blocked (discord.com/developers/docs/resources/user).
  const kept = yield* Found.make
  const request: Writer<typeof Settings.Type, DiscordAddress>["request"] = Effect.fnUntraced(function*(
    { delivery, line, settings, to }
  ) {
    const base = `${baseOf(settings, "https://discord.com")}/api/v10`
    const token = Redacted.value(settings.bot_token)
    const headers = {
      authorization: `Bot ${token}`,
      "content-type": "application/json",
      "user-agent": userAgent
    }

    const opened = Effect.fnUntraced(function*(userId: string) {
      const answer = yield* line.prepare({
        method: "POST",
        url: `${base}/users/@me/channels`,
        headers,
        body: JSON.stringify({ recipient_id: userId })
      })
      const id = answer.status < 300 ? channel(answer)?.id : undefined
      if (id !== undefined && isId(id)) return id
      if (answer.status < 300) return yield* new Unavailable({ detail: "Discord opened no readable channel" })
      const known = { status: answer.status, fault: fault(answer), retryAfter: yield* waitOf(answer) }
      return yield* errorOf(table, known, `Discord opened no channel: ${answer.status}`)
    })

    const given = to.channel_id ?? to.user_id ?? ""
    if (!isId(given)) return yield* badAddress("Not a Discord id")
    const id = to.channel_id ?? (yield* kept(`${base} ${token} ${given}`, opened(given)))
    return {
      method: "POST" as const,
      url: `${base}/channels/${id}/messages`,
      headers,
      body: JsonBody.write(Overrides.body({
        content: cut(ChatText.chat(delivery.rendered, ChatText.discord, (title) => `**${title}**`), longest),
        // At most 25 characters.
        nonce: createHash("sha256").update(delivery.idempotencyToken).digest("base64url").slice(0, 25),
        enforce_nonce: true,
        // Nobody is mentioned, whatever the text says.
        allowed_mentions: { parse: [] }
      }, delivery.override))
    }
  })
  return { request }
})

/**
 * POST /channels/{id}/messages with a bot's token, for a user after /users/@me/channels. `nonce` with `enforce_nonce`
 * deduplicates for some minutes (discord.com/developers/docs/resources/message, /topics/opcodes-and-status-codes).
 */
export const definition = define({
  key: "discord",
  name: "Discord",
  description: "Messages to Discord channels and people",
  channel: "direct_message",
  says: ["content", "embeds", "poll", "sticker_ids"],
  settings: Settings,
  recipients: ChatPlaces.discord,
  // The state is of no setting: what is known is kept by address and token.
  holds: [],
  writer,
  accepted: (answer) => {
    const taken = channel(answer)
    return taken === undefined ? undefined : { reference: taken.id }
  },
  fault,
  table: tableOfMessages
})
