import type { Row } from "#test/contracts/VendorRow.ts"
import { awsSes } from "#test/layers/providers/rows/AwsSes.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { postmark } from "#test/layers/providers/rows/Postmark.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import { resend } from "#test/layers/providers/rows/Resend.ts"
import { sendGrid } from "#test/layers/providers/rows/SendGrid.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"

/** A row for every vendor over HTTP. */
export const all: ReadonlyArray<Row> = [
  awsSes,
  postmark,
  resend,
  sendGrid,
  Sms.twilio,
  Sms.vonage,
  Push.apn,
  Push.expo,
  Push.firebaseFcm,
  Chat.discord,
  Chat.msTeams,
  Chat.pagerDuty,
  Chat.slack
]
