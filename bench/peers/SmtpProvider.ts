import { SmtpSettings } from "#layers/providers/smtp/Settings.ts"
import { smtp } from "#layers/providers/smtp/Smtp.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { Effect, Schema } from "effect"
import * as Mails from "./Mails.ts"

const scope = Scope.make(1)
const messageId = MessageId.make("1-65000000-0123456789abcdef01234567")

await Effect.gen(function*() {
  const settings = yield* Schema.decodeEffect(SmtpSettings)({
    host: "127.0.0.1",
    port: Mails.port,
    from_address: "news@sender.test",
    connections: Mails.connections,
    messages_per_connection: 100
  })
  const provider = yield* smtp.make(settings)
  const send = (index: number) => {
    const { html, subject, text, to, token } = Mails.mailOf(index)
    return provider.send({
      scope,
      messageId,
      attempt: 1,
      idempotencyToken: token,
      channel: "email",
      profile: { email: to },
      rendered: { title: "", subject, body: "", text, html, blocks: [], actions: [] },
      data: {},
      override: {}
    })
  }
  yield* Effect.promise(() =>
    Mails.measure((first, count) =>
      Effect.runPromise(
        Effect.forEach(Array.from({ length: count }, (_, index) => first + index), send, {
          concurrency: Mails.inFlight,
          discard: true
        })
      )
    )
  )
}).pipe(Effect.scoped, Effect.runPromise)
