import * as AwsSes from "#layers/providers/receipts/AwsSes.ts"
import * as Postmark from "#layers/providers/receipts/Postmark.ts"
import * as SendGrid from "#layers/providers/receipts/SendGrid.ts"
import * as Twilio from "#layers/providers/receipts/Twilio.ts"
import { type CallbackReader, CallbackReaders } from "#src/reports/Callbacks.ts"
import { Effect, Layer } from "effect"

/** The readers of all vendors that send callbacks. */
export const layer = Layer.effect(
  CallbackReaders,
  Effect.map(AwsSes.make, (awsSes) =>
    new Map<string, CallbackReader>([
      ["aws-ses", awsSes],
      ["postmark", Postmark.reader],
      ["sendgrid", SendGrid.reader],
      ["twilio", Twilio.reader]
    ]))
)
