import type { PreferenceStatus } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { SecretKey } from "#src/access/SecretKey.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import { terms } from "#src/people/PreferenceStatements.ts"
import type { Profiles } from "#src/people/Profiles.ts"
import * as ReaderChoices from "#src/people/ReaderChoices.ts"
import type { TenantPreferences } from "#src/people/TenantPreferences.ts"
import * as TopicStandings from "#src/people/TopicStandings.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { Context, Effect, Layer, Option, Schema } from "effect"

/** The link was not made by this installation, was changed, or is for something that no longer exists: 404. */
export class LinkBroken extends Schema.TaggedError<LinkBroken>()("LinkBroken", {}) {}

/** What an unsubscribe link shows. */
export interface Shown {
  readonly scope: Scope
  readonly topicName: string
  /** A topic that is `REQUIRED` cannot be opted out of. */
  readonly status: PreferenceStatus
  /** The token of the page on which the same user sees all topics. */
  readonly preferences: string
}

type Refusal = LinkBroken | StoreUnavailable

/** Handles a mail's unsubscribe link (api.md 10.4, 9; 25.5). */
export class Unsubscribing extends Context.Service<Unsubscribing, {
  /** Reads what the link shows; changes nothing. */
  readonly look: (token: string) => Effect.Effect<Shown, Refusal>
  /**
   * Same as a write of the user's preference through the API, but works for an archived topic too, since a template may
   * still name it. Channels that the user chose are kept. Idempotent; has no effect on a required topic.
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
      const { scope, topicId } = subscription
      const topic = yield* catalogue.resolve(scope, topicId)
      if (Option.isNone(topic)) return yield* new LinkBroken()
      const overrides = yield* users.find(subscription, topicId)
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
        if (shown.status === "REQUIRED") return shown
        yield* ReaderChoices.write(users, subscription, [{ topicId: subscription.topicId, setting: { status } }])
        return { ...shown, status }
      })
    })
  })
)
