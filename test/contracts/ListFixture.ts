import { ListId } from "#schemas/List.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Lists } from "#src/people/Lists.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Clock, Effect } from "effect"

export const id = ListId.make("news.weekly")
export const users = (...names: ReadonlyArray<string>) => names.map((name) => UserId.make(name))
export const [ada, bob, cy] = [UserId.make("ada"), UserId.make("bob"), UserId.make("cy")]

export const choice = (status: "OPTED_IN" | "OPTED_OUT"): RecipientPreferences => ({
  notifications: { nt_1: { status, rules: [{ type: "snooze", start: "2026-01-01T00:00:00+02:00" }] } },
  categories: { "": { channel_preferences: [{ channel: "email" }] } }
})

export const hostile: RecipientPreferences = {
  notifications: Object.fromEntries(["\u0000", "\ud800", "__proto__"].map((name) => [name, { rules: [] }]))
}

export const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const lists = yield* Lists
  const subscribed = (listId: string) =>
    Effect.map(
      lists.subscriptions(scope, listId, { limit: 100, cursor: undefined }),
      ({ items }) => items.map(({ userId }) => userId)
    )
  const tag = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
    Effect.map(Effect.result(effect), (result) => result._tag === "Success" ? "done" : result.failure._tag)
  return { scope, lists, subscribed, tag, at: yield* Clock.currentTimeMillis }
})

export const plain = (userId: UserId) => ({ userId, preferences: undefined })
