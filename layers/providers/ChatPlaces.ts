import {
  DiscordAddress,
  MsTeamsAddress,
  MsTeamsWebhook,
  PagerDutyAddress,
  SlackAddress,
  SlackWebhook
} from "#schemas/ChatAddress.ts"
import type { Profile } from "#schemas/Profile.ts"
import { Option, Schema } from "effect"

const places = {
  slack: Schema.decodeUnknownOption(SlackAddress),
  slackWebhook: Schema.decodeUnknownOption(SlackWebhook),
  msTeams: Schema.decodeUnknownOption(MsTeamsAddress),
  msTeamsWebhook: Schema.decodeUnknownOption(MsTeamsWebhook),
  discord: Schema.decodeUnknownOption(DiscordAddress),
  pagerDuty: Schema.decodeUnknownOption(PagerDutyAddress)
}

/** Where a profile is reached in Slack, as a list of none or one; `recipients` of a vendor gives such a list. */
export const slack = (profile: Profile): ReadonlyArray<SlackAddress | SlackWebhook> => {
  const said = profile["slack"]
  const own = Option.toArray(places.slack(said)).filter((to) => to.channel ?? to.user_id ?? to.email)
  return own.length > 0 ? own : Option.toArray(places.slackWebhook(said))
}

/** The same of Teams. */
export const msTeams = (profile: Profile): ReadonlyArray<MsTeamsAddress | MsTeamsWebhook> => {
  const said = profile["ms_teams"]
  const bots = Option.toArray(places.msTeams(said)).filter((to) =>
    to.conversation_id ?? to.channel_id ?? to.user_id ?? to.email ?? (to.channel_name && to.team_id)
  )
  return bots.length > 0 ? bots : Option.toArray(places.msTeamsWebhook(said))
}

/** The same of Discord. */
export const discord = (profile: Profile): ReadonlyArray<DiscordAddress> =>
  Option.toArray(places.discord(profile["discord"])).filter(({ channel_id, user_id }) => channel_id ?? user_id)

/** The same of PagerDuty, whose services need not be named. */
export const pagerDuty = (profile: Profile): ReadonlyArray<PagerDutyAddress> =>
  Option.toArray(places.pagerDuty(profile["pagerduty"]))
