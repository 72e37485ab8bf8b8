import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import * as Address from "#layers/providers/Address.ts"
import { type Composed, compose } from "#layers/providers/smtp/Compose.ts"
import type { DkimKey } from "#layers/providers/smtp/Dkim.ts"
import * as Endpoint from "#layers/providers/smtp/Endpoint.ts"
import { toDeliveryError } from "#layers/providers/smtp/ErrorTable.ts"
import { type Fault, silent } from "#layers/providers/smtp/Fault.ts"
import * as Guests from "#layers/providers/smtp/Guests.ts"
import * as Mail from "#layers/providers/smtp/Mail.ts"
import * as Pool from "#layers/providers/smtp/Pool.ts"
import * as Progress from "#layers/providers/smtp/Progress.ts"
import type { Session } from "#layers/providers/smtp/Session.ts"
import { dkimKey, SmtpSettings } from "#layers/providers/smtp/Settings.ts"
import { ContentRejected } from "#schemas/DeliveryError.ts"
import { isGiven } from "#src/delivery/attempts/Override.ts"
import * as Slots from "#src/delivery/attempts/Slots.ts"
import type { Delivery, Vendor } from "#src/delivery/Provider.ts"
import type { ProviderDefinition } from "#src/delivery/providers/ProviderDefinition.ts"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { DateTime, Effect, Option } from "effect"
import { Dns } from "effect/net"

const key = "smtp"

const signerOf = ({ dkim }: SmtpSettings): DkimKey | undefined =>
  dkim === undefined || dkim === null
    ? undefined
    : Option.getOrUndefined(Option.map(dkimKey(dkim), (key) => ({ domain: dkim.domain, selector: dkim.selector, key })))

/**
 * Fails when the time is up: `send_timeout` from the call to the last byte of the message, then `answer_timeout` for
 * the answer. The transmission that loses the race against it closes its connection.
 */
const watch = (settings: SmtpSettings, progress: Progress.Progress): Effect.Effect<never, Fault> => {
  const late = Effect.suspend(() => Effect.fail(silent(Progress.cut(progress), "deadline")))
  return progress.bodySent.await.pipe(
    Effect.timeoutOption(settings.send_timeout ?? 60_000),
    Effect.flatMap(Option.match({
      onNone: () => late,
      onSome: () => Effect.andThen(Effect.sleep(settings.answer_timeout ?? 600_000), late)
    }))
  )
}

const make = Effect.fnUntraced(function*(settings: SmtpSettings) {
  // This setting was already read at the start of the outbound guard, where a bad one stops the start.
  const guard = { dns: yield* Dns.Dns, allow: yield* Effect.orDie(AddressPolicy.allowed) }
  const own = Endpoint.fromSettings(settings)
  const connections = settings.connections ?? 5
  const slots = Slots.make(connections)
  const guests = Guests.make(() => Slots.make(connections))
  const pool = yield* Pool.make(guard, own, {
    connections,
    messagesPerConnection: settings.messages_per_connection ?? 100,
    idleTimeout: settings.idle_timeout ?? 30_000,
    greetingTimeout: settings.greeting_timeout ?? 15_000
  })
  const sender = { name: settings.from_name ?? "", address: settings.from_address }
  const dkim = signerOf(settings)

  /** Sends over a pooled session to the operator's server, or over a session for this message alone to any other. */
  const transmit = (endpoint: Endpoint.Endpoint, message: Composed, progress: Progress.Progress) => {
    const deliver = (session: Session) => session.deliver(message, progress)
    return endpoint === own
      ? pool.withSession(progress, deliver)
      : pool.withGuest(Endpoint.serverName(endpoint), endpoint, progress, deliver)
  }

  const send = Effect.fn("Smtp.send")(function*(delivery: Delivery) {
    const endpoint = yield* Effect.fromResult(Endpoint.fromOverride(own, delivery.override)).pipe(
      Effect.mapError((detail) => new ContentRejected({ detail }))
    )
    const mail = yield* Effect.fromResult(Mail.fromDelivery(delivery, sender))
    const date = DateTime.toDateUtc(yield* DateTime.now)
    const message = compose(mail, { idempotencyToken: delivery.idempotencyToken, date, dkim })
    const progress = Progress.make()
    const receipt = yield* Effect.raceFirst(transmit(endpoint, message, progress), watch(settings, progress)).pipe(
      Effect.mapError((fault) => toDeliveryError(fault, mail.cc.length + mail.bcc.length > 0))
    )
    if (receipt.refusedCopies > 0) yield* Effect.logWarning("copies refused", { count: receipt.refusedCopies })
    return { reference: receipt.serverMessageId ?? message.messageId }
  })

  return {
    _tag: "Vendor",
    key,
    channel: "email",
    says: [],
    reaches: (profile) => typeof profile["email"] === "string" && Option.isSome(Address.addrSpec(profile["email"])),
    addressOf: ({ email }, override) => typeof email !== "string" || isGiven(override, "to") ? undefined : email,
    slots: (server) => server === undefined ? slots : guests(server),
    serverOf: (_, override) => Endpoint.otherServer(own, override),
    send
  } satisfies Vendor
}, Effect.provide(NodeDns.layer))

/** Mail over SMTP: submission to the operator's server, one explicit envelope per message. */
export const smtp: ProviderDefinition<SmtpSettings> = {
  key,
  name: "SMTP",
  description: "Any mail server that speaks SMTP, with STARTTLS or TLS, login and DKIM.",
  channel: "email",
  settings: SmtpSettings,
  places: ["host", "port", "secure", "require_tls", "ca"],
  make
}
