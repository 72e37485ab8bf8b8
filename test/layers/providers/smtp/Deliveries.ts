import { SmtpSettings } from "#layers/providers/smtp/Settings.ts"
import { smtp } from "#layers/providers/smtp/Smtp.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import { ConfigProvider, Effect, Schema } from "effect"

export interface Parts {
  readonly email?: Schema.Json
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly override?: Schema.JsonObject
  readonly token?: string
}

/** One delivery to Bob, with other parts where the test names them. */
export const delivery = (parts: Parts = {}): Delivery => ({
  scope: Scope.make(1),
  messageId: MessageId.make("1-65000000-0123456789abcdef01234567"),
  attempt: 1,
  idempotencyToken: parts.token ?? "1-65000000-0123456789abcdef01234567:email:smtp",
  channel: "email",
  profile: { email: parts.email === undefined ? "bob@rcpt.test" : parts.email },
  rendered: {
    title: "",
    subject: parts.subject ?? "Hello",
    body: "",
    text: parts.text ?? "Hi Bob\n",
    html: parts.html ?? "",
    blocks: [],
    actions: []
  },
  data: {},
  override: parts.override ?? {}
})

const decode = Schema.decodeUnknownEffect(SmtpSettings)

/** The provider with settings as a caller of the API writes them. */
export const vendor = (port: number, settings: Readonly<Record<string, unknown>> = {}) =>
  decode({ host: "127.0.0.1", port, from_address: "news@sender.test", ...settings }).pipe(
    Effect.orDie,
    Effect.flatMap(smtp.make)
  )

/** Lets messages name servers in this network. */
export const allowing = (network: string) =>
  Effect.provideService(
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnv({ env: { TIDINGS_OUTBOUND_ALLOW: network } })
  )
