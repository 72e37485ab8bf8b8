import type { Chance } from "#layers/testing/Chance.ts"
import type { Change } from "#layers/testing/History.ts"
import type { World } from "#layers/testing/Simulation.ts"
import { type Array, Effect } from "effect"
import { topic, users } from "./People.ts"

const lists: Array.NonEmptyReadonlyArray<string> = ["crew", "crew", "guests"]
const providers: Array.NonEmptyReadonlyArray<string> = ["mail", "post", "text", "ring"]

const change = (chance: Chance): Change => {
  const drawn = chance.next()
  const [listId, provider, userId] = [chance.pick(lists), chance.pick(providers), chance.pick(users)]
  if (drawn < 0.55) {
    return { _tag: "Prefer", userId, topicId: topic, status: chance.happens(0.7) ? "OPTED_OUT" : "OPTED_IN" }
  }
  if (drawn < 0.72) return { _tag: chance.happens(0.5) ? "Subscribe" : "Unsubscribe", listId, userId }
  if (drawn < 0.8) return { _tag: chance.happens(0.6) ? "DeleteList" : "RestoreList", listId }
  return { _tag: chance.happens(0.5) ? "Withdraw" : "Configure", provider }
}

/** What users and operators change while messages are under way; in most worlds something, in both environments. */
export const under = ({ chance, change: make }: World): ReadonlyArray<Effect.Effect<unknown>> =>
  globalThis.Array.from(
    { length: chance.int(0, 3) },
    () => Effect.delay(make(change(chance), chance.happens(0.2) ? 2 : 1), chance.int(0, 55_000))
  )
