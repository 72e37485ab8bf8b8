import type { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import {
  PreferenceChannel,
  type PreferenceRule,
  PreferenceSection,
  PreferenceStatus,
  PreferenceTopic,
  type SentPreferences,
  TopicSetting
} from "#schemas/Preferences.ts"
import { resolve } from "#src/people/PreferenceResolution.ts"
import { statements, terms } from "#src/people/PreferenceStatements.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const someone = Schema.UndefinedOr(TopicSetting)

/** What may be said of a message of the topic `pt` in the section `ps`: custom routing in every place that may hold it, and a snooze. */
const Words = Schema.Struct({
  topic: PreferenceTopic,
  section: Schema.UndefinedOr(PreferenceSection),
  inTenant: someone,
  own: someone,
  tenant: someone,
  entry: Schema.UndefinedOr(Schema.Struct({
    status: Schema.UndefinedOr(PreferenceStatus),
    snoozed: Schema.Boolean,
    channels: Schema.Array(PreferenceChannel)
  }))
})
type Words = typeof Words.Type
const Channels = Schema.Array(PreferenceChannel)

const decide = (words: Words, channels: ReadonlyArray<PreferenceChannel>) => {
  const { entry, inTenant, own, section, tenant, topic } = words
  const known = terms({ id: "pt", sectionId: "ps", section, topic })
  const decision = resolve(
    statements({
      now: 0,
      topic: known,
      names: ["pt"],
      sent: undefined,
      overrides: { topicId: "pt", inTenant, own },
      recipient: entry === undefined ? undefined : {
        notifications: {
          pt: {
            status: entry.status,
            channel_preferences: entry.channels.map((channel) => ({ channel })),
            rules: entry.snoozed ? [{ type: "snooze" }] : []
          }
        }
      },
      list: undefined,
      tenants: tenant === undefined ? [] : [{ ...tenant, tenantId: "acme" }]
    }),
    [...new Set(channels)],
    "pt"
  )
  return { decision }
}

const silent = ({ withheld: _, ...decision }: PreferenceDecision) => decision

const unchosen = (setting: TopicSetting | undefined) =>
  setting === undefined ? undefined : { ...setting, has_custom_routing: false }

const allowing = (words: Words, ...allowed: ReadonlyArray<"snooze" | "channel_preferences">): Words => ({
  ...words,
  topic: { ...words.topic, allowed_preferences: allowed }
})

describe("PreferenceStatements", () => {
  it("who is nearer to the recipient and to the message speaks first (api.md 10.4)", () => {
    const word = { status: "OPTED_IN" as const }
    const record = { notifications: { pt: word }, categories: { ps: word } }
    const section = { name: "Section", has_custom_routing: true, routing_options: ["email" as const] }
    const topic = { name: "Topic", default_status: "OPTED_IN" as const }
    const said = statements({
      now: 0,
      topic: terms({ id: "pt", sectionId: "ps", section, topic }),
      names: ["pt", "nt", "lt"],
      sent: {
        notifications: {
          lt: { ...word, source: "list" },
          nt: { ...word, source: "subscription" },
          pt: word
        }
      },
      overrides: { topicId: "pt", inTenant: word, own: word },
      recipient: record,
      list: { subscription: record, list: record },
      tenants: [{ ...word, tenantId: "near" }, { ...word, tenantId: "far" }]
    })
    assert.deepStrictEqual(said.map(({ id, source }) => `${source} ${id}`), [
      "message pt",
      "user_in_tenant pt",
      "user pt",
      "recipient pt",
      "recipient ps",
      "message nt",
      "subscription pt",
      "subscription ps",
      "message lt",
      "list pt",
      "list ps",
      "tenant_default near",
      "topic_default pt",
      "section_default ps"
    ])
    assert.isTrue(said.every(({ snoozed }) => !snoozed))
  })

  it("a snooze holds from its start until its end, and no other rule does", () => {
    const at = (now: number, rule: PreferenceRule) =>
      statements({
        now,
        topic: undefined,
        names: ["pt"],
        sent: undefined,
        overrides: undefined,
        recipient: { notifications: { pt: { rules: [rule] } } },
        list: undefined,
        tenants: []
      })[0]?.snoozed
    const start = "2026-01-01T00:00:00Z"
    const until = "2026-01-02T00:00:00Z"
    const [from, to] = [Date.parse(start), Date.parse(until)]
    const snooze = { type: "snooze", start, until }
    assert.deepStrictEqual([from - 1, from, to - 1, to].map((now) => at(now, snooze)), [false, true, true, false])
    assert.isTrue(at(0, { type: "snooze" }))
    assert.isFalse(at(from, { type: "frequency", start, until }))
    assert.isFalse(at(from, { type: "snooze", until: "tomorrow" }))
  })

  it.prop("no choice takes a message through a channel that its topic does not go through, unless it is required", {
    words: Words,
    options: Schema.NonEmptyArray(PreferenceChannel),
    choice: Channels,
    of: Schema.Literals(["inTenant", "own", "tenant", "entry", "section"]),
    channels: Channels
  }, ({ channels, choice, of, options, words }) => {
    const setting = { status: "OPTED_IN", has_custom_routing: true, custom_routing: choice } as const
    const { decision } = decide({
      ...words,
      [of]: of === "entry" ? { status: undefined, snoozed: false, channels: choice } : setting,
      topic: { ...words.topic, routing_options: options }
    }, channels)
    if (decision.outcome === "DROPPED" || channels.length === 0) return
    if (decision.channels === undefined) assert.strictEqual(decision.status, "REQUIRED")
    else assert.includeMembers<string>([...options], [...decision.channels.kept])
  })

  it.prop("where a topic lets nobody choose channels, users' custom routing is as if it were not there", {
    words: Words,
    channels: Channels
  }, ({ channels, words }) => {
    const said = allowing(words, "snooze")
    const { entry, inTenant, own } = words
    const plain: Words = {
      ...said,
      inTenant: unchosen(inTenant),
      own: unchosen(own),
      entry: entry === undefined ? undefined : { ...entry, channels: [] }
    }
    const { decision } = decide(said, channels)
    assert.deepStrictEqual(silent(decision), decide(plain, channels).decision)
    const isChosen = (setting: TopicSetting | undefined) =>
      Array.isArray(setting?.custom_routing) && (setting.has_custom_routing ?? setting.custom_routing.length > 0)
    const choices = [isChosen(inTenant), isChosen(own), entry?.channels.length]
    assert.lengthOf(decision.withheld ?? [], choices.filter(Boolean).length)
  })

  it("null says nothing: in a record, an entry and a rule (api.md 1.8)", () => {
    const said = (sent: SentPreferences | null) =>
      statements({
        now: 0,
        topic: undefined,
        names: ["pt"],
        sent,
        overrides: undefined,
        recipient: undefined,
        list: undefined,
        tenants: []
      })
    const entry = { status: null, channel_preferences: null, rules: [{ type: "snooze", start: null, until: null }] }
    assert.deepStrictEqual(said({ notifications: { pt: entry }, categories: null }), [
      { source: "message", id: "pt", status: undefined, snoozed: true, channels: undefined }
    ])
    assert.deepStrictEqual([said({ notifications: null }), said(null)], [[], []])
  })

  it("a setting that names channels has chosen them, unless it says that it has not (api.md 10.4, 6)", () => {
    const channelsOf = (setting: Partial<TopicSetting>) =>
      statements({
        now: 0,
        topic: undefined,
        names: [],
        sent: undefined,
        overrides: undefined,
        recipient: undefined,
        list: undefined,
        tenants: [{ status: "OPTED_IN", tenantId: "acme", ...setting }]
      })[0]?.channels
    const custom_routing = ["email" as const]
    assert.deepStrictEqual(channelsOf({ custom_routing }), ["email"])
    assert.deepStrictEqual(channelsOf({ custom_routing, has_custom_routing: true }), ["email"])
    assert.isUndefined(channelsOf({ custom_routing, has_custom_routing: false }))
    assert.isUndefined(channelsOf({ custom_routing: [] }))
  })

  it.prop("where a topic lets nobody snooze, snoozes are as if they were not there", {
    words: Words,
    channels: Channels
  }, ({ channels, words }) => {
    const said = allowing(words, "channel_preferences")
    const { entry } = words
    const plain = { ...said, entry: entry === undefined ? undefined : { ...entry, snoozed: false } }
    const { decision } = decide(said, channels)
    assert.deepStrictEqual(silent(decision), decide(plain, channels).decision)
    assert.strictEqual(decision.withheld !== undefined, entry?.snoozed === true)
  })

  it.prop("a topic that names nothing that it allows withholds nothing", { words: Words, channels: Channels }, ({
    channels,
    words
  }) => {
    const { decision } = decide(allowing(words), channels)
    assert.deepStrictEqual(decision, decide(allowing(words, "snooze", "channel_preferences"), channels).decision)
    assert.isUndefined(decision.withheld)
  })
})
