import { ofRecipient as mailbox } from "#layers/providers/Address.ts"
import * as ChatPlaces from "#layers/providers/ChatPlaces.ts"
import { ofRecipient as number } from "#layers/providers/Phone.ts"
import type { VendorOptions } from "#layers/testing/VendorOptions.ts"
import type { RecipientRejected } from "#schemas/DeliveryError.ts"
import { isList, isObject } from "#schemas/Json.ts"
import type { Profile } from "#schemas/Profile.ts"
import { WebhookAddress } from "#schemas/Recipient.ts"
import { Effect, Option, Result, Schema } from "effect"

/** The address in a field, or the tokens of devices as profiles have them (api.md 2.2). */
const addressesIn = (value: Schema.Json | undefined): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (isList(value)) return value.flatMap(addressesIn)
  return isObject(value) ? [...addressesIn(value["token"]), ...addressesIn(value["tokens"])] : []
}

const devices = (field: string) => (profile: Profile): string | undefined =>
  addressesIn(profile[field]).join(" ") || undefined

const webhook = Schema.decodeUnknownOption(WebhookAddress)

/** The places of a profile that are no plain text, in words. */
const places: Readonly<Record<string, (profile: Profile) => string | undefined>> = {
  firebaseToken: devices("firebaseToken"),
  apn: devices("apn"),
  expo: devices("expo"),
  oneSignalPlayerID: devices("oneSignalPlayerID"),
  webhook: (profile) => Option.getOrUndefined(webhook(profile["webhook"]))?.url,
  slack: (profile) => {
    const [to] = ChatPlaces.slack(profile)
    if (to === undefined) return undefined
    return "incoming_webhook" in to ? to.incoming_webhook.url : to.channel ?? to.user_id ?? to.email ?? undefined
  },
  ms_teams: (profile) => {
    const [to] = ChatPlaces.msTeams(profile)
    if (to === undefined) return undefined
    return "webhook_url" in to
      ? to.webhook_url
      : to.conversation_id ?? to.channel_id ?? to.user_id ?? to.email ?? `${to.team_id} ${to.channel_name}`
  },
  discord: (profile) => {
    const [to] = ChatPlaces.discord(profile)
    return to?.channel_id ?? to?.user_id ?? undefined
  },
  // A service need not be named where the provider's own settings name one.
  pagerduty: (profile) => {
    const [to] = ChatPlaces.pagerDuty(profile)
    return to === undefined ? undefined : to.routing_key ?? "pagerduty"
  }
}

/** The address that a vendor finds in this field of a profile, as a story reads it; `undefined`: it does not reach it. */
export const at = (profile: Profile, field: string): string | undefined => {
  const place = Object.hasOwn(places, field) ? places[field] : undefined
  if (place !== undefined) return place(profile)
  const said = profile[field]
  return typeof said === "string" ? said : undefined
}

const checks: Readonly<Record<string, (address: string) => Result.Result<string, RecipientRejected>>> = {
  email: mailbox,
  phone_number: number
}

/** How the vendors of the server refuse what is no address, without a call; `undefined`: they do not. */
export const refusal = (
  { address: field }: VendorOptions,
  address: string | undefined
): Effect.Effect<never, RecipientRejected> | undefined => {
  const checked = address === undefined || !Object.hasOwn(checks, field) ? undefined : checks[field]?.(address)
  return checked !== undefined && Result.isFailure(checked) ? Effect.fail(checked.failure) : undefined
}
