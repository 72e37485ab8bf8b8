import type { PreferenceDecision } from "#schemas/PreferenceDecision.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as ChannelChoice from "#src/delivery/pipeline/ChannelChoice.ts"
import type { Mapped } from "#src/delivery/pipeline/Mapping.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as Refusal from "#src/delivery/pipeline/Refusal.ts"
import * as Unknown from "#src/delivery/pipeline/Unknown.ts"
import * as Now from "#src/fibers/Now.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { PreferenceCatalogue, type TopicRecord } from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceResolution from "#src/people/PreferenceResolution.ts"
import * as PreferenceStatements from "#src/people/PreferenceStatements.ts"
import { TenantPreferences } from "#src/people/TenantPreferences.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { Effect, Option } from "effect"

/**
 * The topic of a message. `isInHeader`: its mails say in their header how to opt out of it; those of a required one
 * never.
 */
export interface SentTopic {
  readonly id: string
  readonly isInHeader: boolean
}

/** What the preferences leave of a message. */
export interface Preferred {
  /** `undefined`: it has none, or one that is not in the catalogue. */
  readonly topic: SentTopic | undefined
  readonly instructions: Instructions
  /** The only channels that it may go through; `undefined`: all of its routing. */
  readonly only: ReadonlySet<string> | undefined
  /** `undefined`: nobody had said anything of it. */
  readonly decision: PreferenceDecision | undefined
  /** The topic that it names, or else its template, and that is not in the catalogue. */
  readonly unknownTopic: string | undefined
}

/** What the stages before found: the message with its template, and the recipient's legacy preferences. */
interface Found extends Mapped {
  readonly legacy: RecipientPreferences | undefined
  readonly providers: ReadonlyArray<Provider>
}

/** Nobody said anything of it. */
const nothing = { only: undefined, decision: undefined, topic: undefined, unknownTopic: undefined } as const

const sentTopic = (record: TopicRecord | undefined, { status }: PreferenceDecision): SentTopic | undefined =>
  record && {
    id: record.id,
    isInHeader: record.topic.include_unsubscribe_header === true && status !== "REQUIRED"
  }

/** The message's own topic, then its template's: the first that the catalogue has counts (api.md 10.4, 1). */
const topicsOf = ({ message, template }: Mapped): ReadonlyArray<string> => {
  const own = message.instructions.preferences?.subscription_topic_id
  return [own, template?.template.subscription?.topic_id].flatMap((id) => id === "" ? [] : id ?? [])
}

/**
 * What `notifications` may know the message by: its topic, the template's id and alias, and the name it was sent with.
 */
const namesOf = ({ message, template }: Mapped, topics: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set([
    ...topics,
    ...[template?.id, template?.alias, message.instructions.template].flatMap((name) => name ?? [])
  ])
]

/**
 * What a drop means for a message that calls were made for. It ends if all of them were refused; where one may have
 * reached somebody, it goes on through the channels it has begun with.
 */
const begunWith = ({ attempts }: OpenMessage): ReadonlySet<string> | undefined =>
  attempts.some(({ state }) => state !== "rejected") ? new Set(attempts.map(({ channel }) => channel)) : undefined

/**
 * The stage that asks what the recipient wants (api.md 10.4). A message without a topic, of somebody who has no legacy
 * preferences, asks no store anything; a topic costs one lookup of its user, shared with the messages of the same turn
 * of the event loop.
 */
export const make = Effect.gen(function*() {
  const catalogue = yield* PreferenceCatalogue
  const lists = yield* ListPreferences
  const tenants = yield* TenantPreferences
  const users = yield* UserPreferences

  /**
   * The first topic that the catalogue has. An unknown id, mistyped or of another environment, must not hide the
   * template's topic from those who opted out of it.
   */
  const topicOf = Effect.fnUntraced(function*(scope: Scope, topics: ReadonlyArray<string>) {
    for (const id of topics) {
      const found = yield* Write.patiently(catalogue.resolve(scope, id))
      if (Option.isSome(found)) return found.value
    }
    return undefined
  })

  const said = Effect.fnUntraced(
    function*(found: Found, topics: ReadonlyArray<string>, at: number | undefined) {
      const { legacy, message: { recipient, scope } } = found
      const userId = typeof recipient.user_id === "string" ? UserId.make(recipient.user_id) : undefined
      const tenantId = recipient.tenant_id ?? undefined
      const record = yield* topicOf(scope, topics)
      const named = record === undefined ? topics : topics.slice(0, topics.indexOf(record.id) + 1)
      const asked = yield* Effect.all({
        overrides: record === undefined || userId === undefined
          ? Effect.succeed(undefined)
          : Write.patiently(users.find({ scope, userId, tenantId }, record.id)),
        list: userId === undefined || typeof recipient.list_id !== "string"
          ? Effect.succeed(undefined)
          : Write.patiently(lists.find(scope, recipient.list_id, userId)),
        tenants: record === undefined || tenantId === undefined
          ? Effect.succeed([])
          : Write.patiently(tenants.chain(scope, tenantId, record.id))
      }, { concurrency: "unbounded" })
      return {
        ...asked,
        record,
        now: at ?? (yield* Now.millis),
        topic: record === undefined ? undefined : PreferenceStatements.terms(record),
        names: namesOf(found, named),
        sent: recipient.preferences,
        recipient: legacy
      } satisfies PreferenceStatements.Said & { readonly record: TopicRecord | undefined }
    }
  )

  const resolve = Effect.fnUntraced(
    function*(sent: OpenMessage, found: Found, topics: ReadonlyArray<string>, at: number | undefined) {
      const { message: { instructions }, providers } = found
      const all = yield* said(found, topics, at)
      const unknownTopic = topics[0] === all.record?.id ? undefined : topics[0]
      const statements = PreferenceStatements.statements(all)
      if (statements.length === 0) return { instructions, ...nothing, unknownTopic }
      const decision = PreferenceResolution.resolve(
        statements,
        ChannelChoice.named(instructions, providers),
        all.record?.id ?? topics[0]
      )
      const topic = sentTopic(all.record, decision)
      if (decision.outcome === "DROPPED") {
        const only = begunWith(sent)
        if (only !== undefined) return { instructions, only, decision, topic, unknownTopic }
        return yield* Refusal.knowing(Refusal.unwanted(decision), { unknown: Unknown.of({ topic: unknownTopic }) })
      }
      if (decision.channels === undefined) return { instructions, only: undefined, decision, topic, unknownTopic }
      return {
        instructions: PreferenceResolution.isOwn(decision.channels.rule)
          ? ChannelChoice.unconditioned(instructions, sent.instructions)
          : instructions,
        only: new Set(decision.channels.kept),
        decision,
        topic,
        unknownTopic
      }
    }
  )

  /**
   * `sent` is the message as it was accepted, `found` with what its template adds. `at`, in epoch ms: when it is asked
   * for; missing, it is now.
   */
  return (sent: OpenMessage, found: Found, at?: number): Effect.Effect<Preferred, Refusal.Refusal> => {
    const { legacy, message: { instructions, recipient } } = found
    const topics = topicsOf(found)
    const silent = topics.length === 0 && legacy === undefined && !recipient.preferences && !recipient.list_id
    return silent || namesOf(found, topics).length === 0
      ? Effect.succeed({ instructions, ...nothing })
      : resolve(sent, found, topics, at)
  }
})
