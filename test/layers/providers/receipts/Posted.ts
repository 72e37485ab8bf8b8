import * as AwsSes from "#layers/providers/receipts/AwsSes.ts"
import * as Postmark from "#layers/providers/receipts/Postmark.ts"
import * as SendGrid from "#layers/providers/receipts/SendGrid.ts"
import { Outbound } from "#src/delivery/Outbound.ts"
import { callback, type Genuine } from "#test/layers/providers/receipts/Forgeries.ts"
import { cert } from "#test/layers/providers/receipts/SnsCertificate.ts"
import { envelope, mail, notification, now, topic } from "#test/layers/providers/receipts/SnsMessages.ts"
import { Effect } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
/** The settings of a configuration of SendGrid that these posts are genuine to. */
export const sendGridSettings = {
  webhook_public_key: publicKey.export({ format: "der", type: "spki" }).toString("base64")
}

/** SendGrid posts these events at `now`, in epoch ms. */
export const sendGridAt = (now: number, events: ReadonlyArray<object>): Genuine => {
  const seconds = `${Math.floor(now / 1_000)}`
  const body = JSON.stringify(
    events.map((event, index) => ({ sg_event_id: `e${index}`, timestamp: Number(seconds), ...event }))
  )
  return {
    reader: SendGrid.reader,
    settings: sendGridSettings,
    now,
    callback: callback({
      headers: {
        "x-twilio-email-event-webhook-signature": sign("sha256", Buffer.from(seconds + body), privateKey).toString(
          "base64"
        ),
        "x-twilio-email-event-webhook-timestamp": seconds
      },
      body
    })
  }
}

export const sendGrid = (...events: ReadonlyArray<object>): Genuine => sendGridAt(now, events)

/** Postmark posts this report. */
export const postmark = (report: object, settings: object = {}): Genuine => ({
  reader: Postmark.reader,
  settings: { webhook_secret: "s", ...settings },
  now,
  callback: callback({
    headers: { authorization: `Basic ${Buffer.from("tidings:s").toString("base64")}` },
    body: JSON.stringify({ MessageID: "m1", ...report })
  })
})

/** SES publishes this record, with these tags of the mail. */
export const awsSes = Effect.fnUntraced(function*(record: object, tags: object = {}) {
  const reader = yield* AwsSes.make.pipe(Effect.provideService(Outbound, {
    request: () => Effect.succeed({ status: 200, headers: {}, body: cert, truncated: false })
  }))
  const posted: Genuine = {
    reader,
    settings: { webhook_topic_arn: topic },
    now,
    callback: callback({ body: JSON.stringify(envelope(notification({ ...record, mail: { ...mail, tags } }))) })
  }
  return posted
})
