import { baseUrl, line, secret, urlWithFragment } from "#layers/providers/SettingFields.ts"
import { Schema } from "effect"

/** An account of Twilio's, and who its messages are from. */
export const TwilioSettings = Schema.Struct({
  account_sid: Schema.String.check(
    Schema.isPattern(/^AC[0-9a-fA-F]{32}$/, { message: "Expected AC and 32 hexadecimal digits" })
  ),
  auth_token: secret,
  /** A number in E.164, or an alphanumeric sender. */
  from: Schema.optionalKey(line),
  messaging_service_sid: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^MG[0-9a-fA-F]{32}$/, { message: "Expected MG and 32 hexadecimal digits" }))
  ),
  /**
   * This server's `/callbacks/pc_…`, under the address at which Twilio reaches it (`receipts/Twilio.ts`). By itself
   * Twilio repeats only what it could not connect for, once: `#rc=5&rp=all` makes it repeat a 503 for up to 15 s
   * (twilio.com/docs/usage/webhooks/webhooks-connection-overrides).
   */
  status_callback: Schema.optionalKey(urlWithFragment),
  ...baseUrl
})
export type TwilioSettings = typeof TwilioSettings.Type
