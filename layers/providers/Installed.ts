import * as Webhook from "#layers/providers/Webhook.ts"
import type { InboxChannel } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import { Effect, Layer } from "effect"

const inbox: InboxChannel = {
  _tag: "Inbox",
  key: "inbox",
  channel: "inbox",
  reaches: (profile) => typeof profile["user_id"] === "string"
}

/** The providers that every environment has without configuration: the in-app inbox and the recipient's own webhook. */
export const layer = Layer.effect(
  Providers,
  Effect.map(Webhook.make, (webhook) => {
    const configured = Effect.succeed([inbox, webhook])
    return Providers.of({ configured: () => configured })
  })
)
