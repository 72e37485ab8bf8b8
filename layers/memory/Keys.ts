import type { State } from "#layers/memory/State.ts"
import type { IdempotencyKey, StoredResponse } from "#src/access/Idempotency.ts"
import { HashMap, Option } from "effect"

/** A key's name in the store. */
export const nameOf = ({ path, scope, value }: IdempotencyKey): string => JSON.stringify([scope, path, value])

/** The response stored under a key, unless it has expired. */
export const find = (state: State, key: IdempotencyKey, now: number): StoredResponse | undefined =>
  HashMap.get(state.keys, nameOf(key)).pipe(
    Option.filter((row) => row.expiresAt > now),
    Option.map((row) => row.response),
    Option.getOrUndefined
  )

export const put = (state: State, key: IdempotencyKey, response: StoredResponse): State => ({
  ...state,
  keys: HashMap.set(state.keys, nameOf(key), { response, expiresAt: key.expiresAt })
})
