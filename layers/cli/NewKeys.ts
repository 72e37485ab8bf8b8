import { print } from "#layers/cli/Print.ts"
import * as Store from "#layers/cli/Store.ts"
import * as Welcome from "#layers/cli/Welcome.ts"
import * as Stored from "#layers/postgres/ApiKeys.ts"
import * as Audits from "#layers/postgres/Audit.ts"
import * as KeyRing from "#layers/postgres/KeyRing.ts"
import type { Values } from "#layers/settings/Settings.ts"
import { ApiKeys } from "#src/access/ApiKeys.ts"
import { Effect } from "effect"

const heading = "These are the API keys from now on, in place of all others; they are shown this once."

const replace = Effect.fnUntraced(function*({ bootstrapSecret: secret, databaseUrl }: Values) {
  const shown = yield* Welcome.show(heading)
  yield* KeyRing.replacing(ApiKeys.use((keys) => keys.replace(secret, secret === undefined ? shown : undefined)))
  if (secret !== undefined)
    yield* print("The API keys are those of TIDINGS_BOOTSTRAP_SECRET now, in place of all others")
  if (databaseUrl !== undefined) yield* print("Nodes that run may take the old ones for a minute more")
})

/** Replaces the API keys in the store itself, for an operator who has none left to ask the server with. */
export const run = Store.withStore((settings) => Effect.provide(replace(settings), [Stored.layer, Audits.layer]))
