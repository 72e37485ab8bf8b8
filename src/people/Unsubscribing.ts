import type { PreferenceStatus } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { SecretKey } from "#src/access/SecretKey.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import { terms } from "#src/people/PreferenceStatements.ts"
import type { Profiles } from "#src/people/Profiles.ts"
import type { TenantPreferences } from "#src/people/TenantPreferences.ts"
import * as TopicStandings from "#src/people/TopicStandings.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { Context, Effect, Layer, Option, Schema } from "effect"

/** The link was not made here, was changed, or is of something that is no more: 404. */
export class LinkBroken extends Schema.TaggedError<LinkBroken>()("LinkBroken", {}) {}

/** What a link is about, as it stands. */
export interface Shown {
  readonly scope: Scope
  readonly topicName: string
  /** `REQUIRED` cannot be opted out of. */
  readonly status: PreferenceStatus
  /** The token of the same user's page of all topics. */
  readonly preferences: string
}

type Refusal = LinkBroken | StoreUnavailable

/** What the reader of a mail does with its unsubscribe link (api.md 10.4, 9; 25.5). */
export class Unsubscribing extends Context.Service<Unsubscribing, {
  /** Changes nothing. */
  readonly look: (token: string) => Effect.Effect<Shown, Refusal>
  /**
   * What a write of the user's preference through the API does, for an archived topic too, since a template may still name it. Channels
   * that the user chose are kept. Idempotent; of a required topic nothing changes.
   */
  readonly set: (token: string, status: "OPTED_IN" | "OPTED_OUT") => Effect.Effect<Shown, Refusal>
}>()("tidings/Unsubscribing") {}

export const layer: Layer.Layer<
  Unsubscribing,
  never,
  PreferenceCatalogue | Profiles | SecretKey | TenantPreferences | UserPreferences
> = Layer.effect(
  Unsubscribing,
  Effect.gen(function*() {
    const catalogue = yield* PreferenceCatalogue
    const users = yield* UserPreferences
    const standings = yield* TopicStandings.make
    const tokens = yield* PreferenceLinks.tokens

    const found = Effect.fnUntraced(function*(token: string) {
      const subscription = tokens.openUnsubscribe(token)
      if (subscription === undefined) return yield* new LinkBroken()
      const { scope, tenantId, topicId, userId } = subscription
      const topic = yield* catalogue.resolve(scope, topicId)
      if (Option.isNone(topic)) return yield* new LinkBroken()
      const overrides = yield* users.find(scope, userId, tenantId, topicId)
      const legacy = yield* standings.legacy(subscription)
      const { status } = yield* standings.of(subscription, terms(topic.value), { overrides, legacy })
      const shown: Shown = {
        scope,
        topicName: topic.value.topic.name,
        status,
        preferences: tokens.preferences(subscription)
      }
      return { subscription, shown }
    })

    return Unsubscribing.of({
      look: (token) => Effect.map(found(token), ({ shown }) => shown),
      set: Effect.fnUntraced(function*(token, status) {
        const { shown, subscription } = yield* found(token)
        const { scope, tenantId, topicId, userId } = subscription
        if (shown.status === "REQUIRED") return shown
        yield* users.merge(scope, userId, tenantId, [{ topicId, setting: { status } }])
        return { ...shown, status }
      })
    })
  })
)
