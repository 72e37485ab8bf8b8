import {
  ContentRejected,
  type DeliveryError,
  Misconfigured,
  RateLimited,
  RecipientRejected,
  Unavailable,
  Unknown
} from "#schemas/DeliveryError.ts"
import { optional } from "#schemas/Optional.ts"
import { WebhookAddress } from "#schemas/Recipient.ts"
import { answered, Outbound, type OutboundError, type OutboundResponse } from "#src/delivery/Outbound.ts"
import type { Delivery, Vendor } from "#src/delivery/Provider.ts"
import * as Deadline from "#layers/providers/Deadline.ts"
import * as JsonBody from "#layers/providers/JsonBody.ts"
import * as Overrides from "#layers/providers/Overrides.ts"
import { fnv1a } from "#src/delivery/shards/Hash.ts"
import * as RetryAfter from "#src/delivery/attempts/RetryAfter.ts"
import { Buffer } from "node:buffer"
import { Clock, Effect, Option, Schema } from "effect"

const addressOf = Schema.decodeUnknownOption(WebhookAddress)

/** What a message may override of a webhook call, besides its body (api.md §3). */
const overrideOf = Schema.decodeUnknownOption(Schema.Struct({
  url: optional(Schema.NonEmptyString),
  method: WebhookAddress.fields.method,
  headers: WebhookAddress.fields.headers
}))

/** Headers by names that are the same in any case. */
const lowered = (headers: WebhookAddress["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))

const authorization = ({ authentication }: WebhookAddress): Record<string, string> => {
  switch (authentication?.mode) {
    case "basic":
      return {
        authorization: `Basic ${
          Buffer.from(`${authentication.username ?? ""}:${authentication.password ?? ""}`).toString("base64")
        }`
      }
    case "bearer":
      return { authorization: `Bearer ${authentication.token ?? ""}` }
    default:
      return {}
  }
}

/**
 * The profile that is sent with the message: the whole profile only if the address asks for it (api.md 2.1,
 * `expanded`).
 */
const profileOf = (address: WebhookAddress, { webhook: _, ...profile }: Delivery["profile"]) =>
  address.profile === "expanded" ? profile : { user_id: profile["user_id"] ?? null, email: profile["email"] ?? null }

const failed = (error: OutboundError): DeliveryError => {
  switch (error._tag) {
    case "OutboundRefused":
      return new RecipientRejected({ detail: error.detail })
    case "OutboundNotSent":
      return new Unavailable({ detail: error.detail })
    case "OutboundUnknown":
      return new Unknown({ detail: error.detail })
  }
}

/** What a receiver's status means (api.md 26.4); 410 says that the address is gone for good. */
const refused = (status: number, retryAfter: number | undefined): DeliveryError => {
  const detail = `The webhook answered ${status}`
  if (status === 429) return new RateLimited({ detail, retryAfter })
  if (status === 408 || status >= 500) return new Unavailable({ detail, retryAfter })
  if (status === 401 || status === 403) return new Misconfigured({ detail })
  if (status === 404 || status === 410) return new RecipientRejected({ detail, invalidates: status === 410 })
  return new ContentRejected({ detail })
}

/** Posts the rendered message as JSON to the recipient's own address; any 2xx counts as accepted. */
export const make = Effect.gen(function*() {
  const outbound = yield* Outbound
  const send = Effect.fnUntraced(function*(delivery: Delivery) {
    const address = Option.getOrUndefined(addressOf(delivery.profile["webhook"]))
    if (address === undefined) return yield* new RecipientRejected({ detail: "The recipient has no webhook address" })
    const given = Option.getOrUndefined(overrideOf(delivery.override))
    if (given === undefined) return yield* new ContentRejected({ detail: "The webhook override cannot be read" })
    const { rendered } = delivery
    const answer: Pick<OutboundResponse, "headers" | "status"> = yield* outbound.request({
      method: given.method ?? address.method ?? "POST",
      url: given.url ?? address.url,
      headers: {
        "content-type": "application/json",
        "user-agent": "Tidings",
        "idempotency-key": delivery.idempotencyToken,
        ...lowered(address.headers),
        ...authorization(address),
        ...lowered(given.headers)
      },
      body: JsonBody.write(Overrides.body({
        messageId: delivery.messageId,
        data: delivery.data,
        profile: profileOf(address, delivery.profile),
        // The content's own payload for webhooks is sent as it is (api.md 2.5, raw).
        content: rendered.raw?.["payload"]
          ?? { title: rendered.title, body: rendered.body, blocks: rendered.blocks, actions: rendered.actions }
      }, delivery.override)),
      deadlineMs: Deadline.handOver
    }).pipe(Effect.catchTag("OutboundUnknown", answered), Effect.mapError(failed))
    if (answer.status >= 200 && answer.status < 300) return { reference: undefined }
    const now = yield* Clock.currentTimeMillis
    return yield* refused(answer.status, RetryAfter.parse(answer.headers["retry-after"], now))
  })
  return {
    _tag: "Vendor",
    key: "webhook",
    channel: "webhook",
    reaches: (profile) => Option.isSome(addressOf(profile["webhook"])),
    // Not the URL itself, which may be a secret (P9). Two URLs with the same hash merely share a circuit breaker.
    serverOf: (profile, override) => {
      const url = Option.getOrUndefined(overrideOf(override))?.url ??
        Option.getOrUndefined(addressOf(profile["webhook"]))?.url
      return url === undefined ? undefined : fnv1a(url).toString(36)
    },
    send
  } satisfies Vendor
})
