import { fromIso } from "#schemas/api/Instant.ts"
import type { DecisionSource } from "#schemas/PreferenceDecision.ts"
import type {
  PreferenceEntry,
  PreferenceRule,
  PreferenceSource,
  PreferenceStatus,
  RecipientPreferences,
  SentPreferences,
  TopicSetting
} from "#schemas/Preferences.ts"
import type { ListWord } from "#src/people/ListPreferences.ts"
import type { Statement } from "#src/people/PreferenceResolution.ts"
import type { TenantDefault } from "#src/people/TenantPreferences.ts"
import type { TopicOverrides } from "#src/people/UserPreferences.ts"

/** Everything that may have been said of one message. Times in epoch ms. */
export interface Said {
  readonly now: number
  /** The topic of the message and the section it is in, if the catalogue has it. */
  readonly topic:
    | { readonly id: string; readonly sectionId: string; readonly status: PreferenceStatus }
    | undefined
  /** The names that `notifications` may know the message by, the most special first: its topic, its template. */
  readonly names: ReadonlyArray<string>
  readonly sent: SentPreferences | null | undefined
  readonly overrides: TopicOverrides | undefined
  readonly recipient: RecipientPreferences | undefined
  readonly list: ListWord | undefined
  /** Nearest first: only the nearest counts. */
  readonly tenants: ReadonlyArray<TenantDefault>
}

const instant = (text: string | null | undefined, missing: number): number =>
  text === null || text === undefined ? missing : fromIso(text) ?? Number.NaN

/** From `start` on, before `until`; a side that is missing is open, one that is no date never holds. */
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

const set = (source: DecisionSource, id: string, setting: TopicSetting): Statement => ({
  source,
  id,
  status: setting.status,
  snoozed: false,
  channels: setting.has_custom_routing === true ? setting.custom_routing ?? [] : undefined
})

type Entries<E> = Readonly<Record<string, E>> | null | undefined

const under = <E>(entries: Entries<E>, names: ReadonlyArray<string>): ReadonlyArray<readonly [string, E]> =>
  entries === null || entries === undefined ? [] : names.flatMap((name) => {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
    return entry === undefined ? [] : [[name, entry] as const]
  })

/** What one record of entries says of the message: its notification before its category. */
const entriesOf = <E>(
  record: { readonly notifications?: Entries<E>; readonly categories?: Entries<E> } | null | undefined,
  { names, topic }: Said
): ReadonlyArray<readonly [string, E]> =>
  record === null || record === undefined
    ? []
    : [...under(record.notifications, names), ...under(record.categories, topic === undefined ? [] : [topic.sectionId])]

/** All of it as statements, the strongest first (api.md 10.4). */
export const statements = (said: Said): ReadonlyArray<Statement> => {
  const { list, now, overrides, recipient, tenants, topic } = said
  const sent = (level: PreferenceSource) =>
    entriesOf(said.sent, said).flatMap(([id, entry]) =>
      (entry.source ?? "recipient") === level ? [spoken("message", id, entry, now)] : []
    )
  const stored = (source: PreferenceSource, record: RecipientPreferences | undefined) =>
    entriesOf(record, said).map(([id, entry]) => spoken(source, id, entry, now))
  const nearest = tenants[0]
  return [
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
}
