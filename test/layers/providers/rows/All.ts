import type { Row } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import * as Email from "#test/layers/providers/rows/Email.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"

/** A row for every vendor over HTTP. */
export const all: ReadonlyArray<Row> = [
  Email.awsSes,
  Email.postmark,
  Email.resend,
  Email.sendGrid,
  Sms.twilio,
  Sms.vonage,
  Push.apn,
  Push.expo,
  Push.firebaseFcm,
  Chat.discord,
  Chat.msTeams,
  Chat.slack
]
