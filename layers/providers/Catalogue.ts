import * as Apn from "#layers/providers/Apn.ts"
import * as AwsSes from "#layers/providers/AwsSes.ts"
import * as Discord from "#layers/providers/Discord.ts"
import * as Expo from "#layers/providers/Expo.ts"
import * as FirebaseFcm from "#layers/providers/FirebaseFcm.ts"
import * as MsTeams from "#layers/providers/MsTeams.ts"
import * as PagerDuty from "#layers/providers/PagerDuty.ts"
import * as Postmark from "#layers/providers/Postmark.ts"
import * as Resend from "#layers/providers/Resend.ts"
import * as SendGrid from "#layers/providers/SendGrid.ts"
import * as Slack from "#layers/providers/Slack.ts"
import * as Twilio from "#layers/providers/Twilio.ts"
import * as Vonage from "#layers/providers/Vonage.ts"
import type { VendorHttp } from "#layers/providers/VendorHttp.ts"
import { type CatalogueEntry, entry } from "#src/delivery/providers/Catalogue.ts"
import type { ProviderDefinition } from "#src/delivery/providers/ProviderDefinition.ts"
import type { Context } from "effect"

/** A vendor over HTTP as the catalogue lists it. */
export interface Listed extends Pick<ProviderDefinition<unknown>, "key" | "name" | "channel"> {
  /** Its catalogue entry, which the API shows; it needs the HTTP client for vendors. */
  readonly catalogued: (context: Context.Context<VendorHttp>) => CatalogueEntry
}

export const listed = <Settings>(definition: ProviderDefinition<Settings, VendorHttp>): Listed => ({
  key: definition.key,
  name: definition.name,
  channel: definition.channel,
  catalogued: entry(definition)
})

/** Every vendor over HTTP, by channel and name. */
export const all: ReadonlyArray<Listed> = [
  listed(AwsSes.definition),
  listed(Postmark.definition),
  listed(Resend.definition),
  listed(SendGrid.definition),
  listed(Twilio.definition),
  listed(Vonage.definition),
  listed(Apn.definition),
  listed(Expo.definition),
  listed(FirebaseFcm.definition),
  listed(Discord.definition),
  listed(MsTeams.definition),
  listed(PagerDuty.definition),
  listed(Slack.definition)
]
