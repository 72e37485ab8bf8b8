import {
  DiscordAddress,
  MsTeamsAddress,
  MsTeamsWebhook,
  PagerDutyAddress,
  SlackAddress,
  SlackWebhook
} from "#schemas/ChatAddress.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Option, Schema } from "effect"
import { createHash } from "node:crypto"

/** A place on a chat platform that a recipient names itself (api.md 2.1). Neither `key` nor `name` holds a token. */
export interface ChatAddress {
  readonly kind: "slack" | "ms_teams" | "discord" | "pagerduty"
  /** What people call the platform. */
  readonly platform: string
  /** The mailbox: the place, with a hash that tells the same place of another account apart. */
  readonly key: string
  readonly name: string
}

/** A hash that tells accounts apart without showing their secrets. */
const mark = (secret: string | null | undefined): string =>
  secret ? createHash("sha256").update(secret).digest("hex").slice(0, 16) : ""

/** A place that is known by a URL, which is its key: whoever knows it can write there. */
const webhook = (url: string): Pick<ChatAddress, "key" | "name"> => ({
  key: `${mark(url)}/webhook`,
  name: `webhook:${mark(url).slice(0, 8)}`
})

type Read = (given: unknown) => Option.Option<Pick<ChatAddress, "key" | "name">>

interface Platform extends Pick<ChatAddress, "kind" | "platform"> {
  readonly read: Read
  /** Tells a caller what a recipient must say of it. */
  readonly needs: string
}

const decodeSlack = Schema.decodeUnknownOption(SlackAddress)
const decodeSlackWebhook = Schema.decodeUnknownOption(SlackWebhook)
const decodeMsTeams = Schema.decodeUnknownOption(MsTeamsAddress)
const decodeMsTeamsWebhook = Schema.decodeUnknownOption(MsTeamsWebhook)
const decodeDiscord = Schema.decodeUnknownOption(DiscordAddress)
const decodePagerDuty = Schema.decodeUnknownOption(PagerDutyAddress)

const slackPlace: Read = (given) =>
  Option.flatMap(decodeSlack(given), ({ access_token: token, channel, email, user_id: userId }) => {
    const name = channel ?? userId ?? email
    return name ? Option.some({ key: `${mark(token)}/${name}`, name }) : Option.none()
  })

const slack: Read = (given) =>
  Option.orElse(
    slackPlace(given),
    () => Option.map(decodeSlackWebhook(given), ({ incoming_webhook: { url } }) => webhook(url))
  )

const msTeamsBot: Read = (given) =>
  Option.flatMap(decodeMsTeams(given), (to) => {
    const { channel_name: channel, team_id: team, tenant_id: tenant } = to
    const place = to.conversation_id ?? to.channel_id ?? to.user_id ?? to.email
    if (place) return Option.some({ key: `${mark(tenant)}/${place}`, name: place })
    return channel && team
      ? Option.some({ key: `${mark(`${tenant} ${team}`)}/${channel}`, name: channel })
      : Option.none()
  })

const msTeams: Read = (given) =>
  Option.orElse(
    msTeamsBot(given),
    () => Option.map(decodeMsTeamsWebhook(given), ({ webhook_url: url }) => webhook(url))
  )

const discord: Read = (given) =>
  Option.flatMap(decodeDiscord(given), ({ channel_id: channel, user_id: user }) => {
    const name = channel ?? user
    return name ? Option.some({ key: `${channel ? "channel" : "user"}/${name}`, name }) : Option.none()
  })

const pagerDuty: Read = (given) =>
  Option.map(decodePagerDuty(given), ({ routing_key: key, source }) => ({
    key: `${mark(key)}/${source ?? ""}`,
    name: source || "pagerduty"
  }))

const platforms: ReadonlyArray<Platform> = [
  {
    kind: "slack",
    platform: "Slack",
    read: slack,
    needs: "one of channel, user_id, email and incoming_webhook {url} is required"
  },
  {
    kind: "ms_teams",
    platform: "Microsoft Teams",
    read: msTeams,
    needs:
      "service_url and one of conversation_id, channel_id, user_id, email and channel_name with team_id are required, or webhook_url"
  },
  { kind: "discord", platform: "Discord", read: discord, needs: "one of channel_id and user_id is required" },
  {
    kind: "pagerduty",
    platform: "PagerDuty",
    read: pagerDuty,
    needs: "Expected {routing_key, event_action, severity, source}"
  }
]

const given = (recipient: Recipient): ReadonlyArray<Platform> =>
  platforms.filter(({ kind }) => recipient[kind] !== undefined && recipient[kind] !== null)

/** The place that a recipient names, if it names one. */
export const find = (recipient: Recipient): ChatAddress | undefined =>
  given(recipient).flatMap(({ kind, platform, read }) =>
    Option.toArray(Option.map(read(recipient[kind]), (place): ChatAddress => ({ kind, platform, ...place })))
  )[0]

/** What is missing in a platform that a recipient names, with the path within it. */
export const fault = (recipient: Recipient): string | undefined =>
  given(recipient).map(({ kind, needs }) => `${kind}: ${needs}`)[0]
