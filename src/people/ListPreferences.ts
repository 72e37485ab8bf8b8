import type { RecipientPreferences } from "#schemas/Preferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect } from "effect"

/** The preferences that a list sets for its subscribers, and those that one of them gave when subscribing. */
export interface ListWord {
  readonly list: RecipientPreferences | undefined
  readonly subscription: RecipientPreferences | undefined
}

/** The preferences of lists and of their subscriptions (api.md 2.4, 10.4). */
export class ListPreferences extends Context.Service<ListPreferences, {
  /**
   * Both are `undefined` for a list or subscription that does not exist. Batched: calls of one turn of the event loop
   * share a statement.
   */
  readonly find: (scope: Scope, listId: string, userId: UserId) => Effect.Effect<ListWord, StoreUnavailable>
}>()("tidings/ListPreferences") {}
