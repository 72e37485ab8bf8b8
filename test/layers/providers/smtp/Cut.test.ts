import * as Endpoint from "#layers/providers/smtp/Endpoint.ts"
import { compose } from "#layers/providers/smtp/Compose.ts"
import * as Mail from "#layers/providers/smtp/Mail.ts"
import * as Pool from "#layers/providers/smtp/Pool.ts"
import * as Progress from "#layers/providers/smtp/Progress.ts"
import { SmtpSettings } from "#layers/providers/smtp/Settings.ts"
import { type Cue, start } from "#test/support/ScriptedSmtp.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Dns } from "effect/net"
import { delivery } from "./Deliveries.ts"

const limits = { connections: 1, messagesPerConnection: 10, idleTimeout: 10_000, greetingTimeout: 10_000 }

/** Sends messages over a pool of one connection, to a server that does as `cues` say; each has come as far as its `Progress` tells. */
const serve = Effect.fnUntraced(function*(cues: ReadonlyArray<Cue>) {
  const server = yield* start({ cues })
  const settings = yield* Schema.decodeUnknownEffect(SmtpSettings)({
    host: "127.0.0.1",
    port: server.port,
    from_address: "news@sender.test"
  })
  const pool = yield* Pool.make({ dns: yield* Dns.Dns, allow: [] }, Endpoint.fromSettings(settings), limits)
  const mail = yield* Effect.fromResult(Mail.fromDelivery(delivery(), { name: "", address: "news@sender.test" }))
  const message = compose(mail, { idempotencyToken: "t", date: new Date(0), dkim: undefined })
  const send = (progress: Progress.Progress) =>
    pool.withSession(progress, (session) => session.deliver(message, progress))
  return { send, server }
}, Effect.provide(Dns.layerStatic({})))

describe("P4: what was told not sent, since its time was up, is not sent afterwards", () => {
  it.live("no message is begun, though the server asks for it", () =>
    Effect.gen(function*() {
      const progress = Progress.make()
      const when = () => {
        Progress.cut(progress)
        return false
      }
      const { send, server } = yield* serve([{ at: "data", act: "hang", when }])
      assert.deepInclude(yield* Effect.flip(send(progress)), { _tag: "Silent", stage: "data" })
      yield* server.drained
      assert.deepStrictEqual([server.bodyBytes(), server.messages.length], [0, 0])
    }))

  it.live("no connection is opened in place of one that was kept too long", () =>
    Effect.gen(function*() {
      const [first, second] = [Progress.make(), Progress.make()]
      let mails = 0
      const when = () => {
        if (++mails === 1) return false
        Progress.cut(second)
        return true
      }
      const { send, server } = yield* serve([{ at: "mail", act: { reply: "421 4.4.2 idle too long" }, when }])
      yield* send(first)
      assert.deepInclude(yield* Effect.flip(send(second)), { _tag: "Refused", code: 421 })
      assert.deepStrictEqual([server.connections(), server.messages.length], [1, 1])
    }))
})
