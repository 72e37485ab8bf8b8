import { messagesOf, putMessage, type State } from "#layers/memory/State.ts"
import type { Scope } from "#schemas/Scope.ts"
import { renamed, type Renaming } from "#src/delivery/providers/ProviderNames.ts"

/** Renames the providers in the attempts of an environment's open messages. */
export const attempts = (state: State, scope: Scope, all: ReadonlyArray<Renaming>): State =>
  all.length === 0 ? state : [...messagesOf(state, scope)].filter(({ dueAt }) => dueAt !== undefined).reduce(
    (before, row) => {
      const attempts = row.attempts.map((attempt) => renamed(all, attempt))
      return putMessage(before, { ...row, attempts, providers: [...new Set(attempts.map(({ provider }) => provider))] })
    },
    state
  )
