import type { DecisionSource, WithheldRule } from "#schemas/PreferenceDecision.ts"
import type {
  PreferenceChannel,
  PreferenceEntry,
  PreferenceRule,
  PreferenceSource,
  PreferenceStatus,
  RecipientPreferences,
  SentPreferences,
  TopicSetting
} from "#schemas/Preferences.ts"
import { fromIso } from "#schemas/WrittenTime.ts"
import type { ListWord } from "#src/people/ListPreferences.ts"
import type { ResolvedTopic } from "#src/people/PreferenceCatalogue.ts"
import type { Statement } from "#src/people/PreferenceResolution.ts"
import type { TenantDefault } from "#src/people/TenantPreferences.ts"
import type { TopicOverrides } from "#src/people/UserPreferences.ts"

/** The terms of a topic: what may be chosen for it. */
export interface TopicTerms {
  readonly id: string
  readonly sectionId: string
  readonly status: PreferenceStatus
  /** The only channels that it may go through, and who set them: the topic, or else its section. */
  readonly options: {
    readonly source: DecisionSource
    readonly id: string
    readonly channels: ReadonlyArray<PreferenceChannel>
  } | undefined
  /** What its recipients may choose besides a status. */
  readonly allowed: ReadonlySet<WithheldRule["preference"]>
}

const everything: ReadonlyArray<WithheldRule["preference"]> = ["snooze", "channel_preferences"]

const given = <A>(list: ReadonlyArray<A> | null | undefined): ReadonlyArray<A> | undefined =>
  list === null || list === undefined || list.length === 0 ? undefined : list

/**
 * The terms of a topic of the catalogue (api.md 10.2). Without `routing_options` its channels are those of its section,
 * if that has custom routing, otherwise those of the message. Without `allowed_preferences` its recipients may choose
 * everything.
 */
export const terms = ({ id, section, sectionId, topic }: Omit<ResolvedTopic, "created" | "updated">): TopicTerms => {
  const own = given(topic.routing_options)
  const shared = section?.has_custom_routing === true ? given(section.routing_options) : undefined
  return {
    id,
    sectionId,
    status: topic.default_status,
    options: own !== undefined
      ? { source: "topic_default", id, channels: own }
      : shared !== undefined
      ? { source: "section_default", id: sectionId, channels: shared }
      : undefined,
    allowed: new Set(given(topic.allowed_preferences) ?? everything)
  }
}

/**
 * Sources that are recipients' own choices, which a topic may disallow. The send's own preferences are the workspace's.
 */
const customized: ReadonlySet<DecisionSource> = new Set(["user_in_tenant", "user", "recipient", "subscription"])

/**
 * A statement cut down to the topic's terms: without channels that the topic does not use, and without choices that it
 * does not allow its recipients.
 */
const within = ({ allowed, options }: TopicTerms, statement: Statement): Statement => {
  const { channels, id, snoozed, source, status } = statement
  const isWithheld = (preference: WithheldRule["preference"]) => customized.has(source) && !allowed.has(preference)
  const withheld = [
    ...(snoozed && isWithheld("snooze") ? ["snooze" as const] : []),
    ...(channels !== undefined && isWithheld("channel_preferences") ? ["channel_preferences" as const] : [])
  ]
  return {
    source,
    id,
    status,
    snoozed: snoozed && !withheld.includes("snooze"),
    channels: withheld.includes("channel_preferences")
      ? undefined
      : channels?.filter((channel) => options === undefined || options.channels.includes(channel)),
    withheld
  }
}

/** All preferences that may concern one message. Times in epoch ms. */
export interface Said {
  readonly now: number
  /** The topic of the message, if the catalogue has it. */
  readonly topic: TopicTerms | undefined
  /** The names under which `notifications` may have the message, the most specific first: its topic, its template. */
  readonly names: ReadonlyArray<string>
  readonly sent: SentPreferences | null | undefined
  readonly overrides: TopicOverrides | undefined
  readonly recipient: RecipientPreferences | undefined
  readonly list: ListWord | undefined
  /** Ordered nearest tenant first; only the first one counts. */
  readonly tenants: ReadonlyArray<TenantDefault>
}

const instant = (text: string | null | undefined, missing: number): number =>
  text === null || text === undefined ? missing : fromIso(text) ?? Number.NaN

/**
 * Whether a rule applies at `now`: from `start` up to but not including `until`. A missing bound is open; with one that
 * is not a date it never applies.
 */
const holds = ({ start, type, until }: PreferenceRule, now: number): boolean =>
  type === "snooze" && instant(start, -Infinity) <= now && now < instant(until, Infinity)

const spoken = (source: DecisionSource, id: string, entry: PreferenceEntry, now: number): Statement => {
  const channels = entry.channel_preferences?.map(({ channel }) => channel)
  return {
    source,
    id,
    status: entry.status ?? undefined,
    snoozed: entry.rules?.some((rule) => holds(rule, now)) ?? false,
    channels: channels === undefined || channels.length === 0 ? undefined : channels
  }
}

/** A setting that names channels and leaves out whether they are a choice means that they are. */
const set = (source: DecisionSource, id: string, setting: TopicSetting): Statement => {
  const chosen = setting.custom_routing ?? undefined
  const isChosen = setting.has_custom_routing ?? (chosen !== undefined && chosen.length > 0)
  return { source, id, status: setting.status, snoozed: false, channels: isChosen ? chosen : undefined }
}

type Entries<E> = Readonly<Record<string, E>> | null | undefined

const under = <E>(entries: Entries<E>, names: ReadonlyArray<string>): ReadonlyArray<readonly [string, E]> =>
  entries === null || entries === undefined ? [] : names.flatMap((name) => {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
    return entry === undefined ? [] : [[name, entry] as const]
  })

/** The entries of one record that concern the message: those of its notification before those of its category. */
const entriesOf = <E>(
  record: { readonly notifications?: Entries<E>; readonly categories?: Entries<E> } | null | undefined,
  { names, topic }: Said
): ReadonlyArray<readonly [string, E]> =>
  record === null || record === undefined
    ? []
    : [...under(record.notifications, names), ...under(record.categories, topic === undefined ? [] : [topic.sectionId])]

/** Turns them into statements, strongest first (api.md 10.4). */
export const statements = (said: Said): ReadonlyArray<Statement> => {
  const { list, now, overrides, recipient, tenants, topic } = said
  const sent = (level: PreferenceSource) =>
    entriesOf(said.sent, said).flatMap(([id, entry]) =>
      (entry.source ?? "recipient") === level ? [spoken("message", id, entry, now)] : []
    )
  const stored = (source: PreferenceSource, record: RecipientPreferences | undefined) =>
    entriesOf(record, said).map(([id, entry]) => spoken(source, id, entry, now))
  const nearest = tenants[0]
  const all = [
    ...sent("recipient"),
    ...(overrides?.inTenant === undefined ? [] : [set("user_in_tenant", overrides.topicId, overrides.inTenant)]),
    ...(overrides?.own === undefined ? [] : [set("user", overrides.topicId, overrides.own)]),
    ...stored("recipient", recipient),
    ...sent("subscription"),
    ...stored("subscription", list?.subscription),
    ...sent("list"),
    ...stored("list", list?.list),
    ...(nearest === undefined ? [] : [set("tenant_default", nearest.tenantId, nearest)]),
    ...(topic === undefined
      ? []
      : [{ source: "topic_default" as const, id: topic.id, status: topic.status, snoozed: false, channels: undefined }])
  ]
  if (topic === undefined) return all
  const limited = all.map((statement) => within(topic, statement))
  return topic.options === undefined ? limited : [...limited, { ...topic.options, status: undefined, snoozed: false }]
}
