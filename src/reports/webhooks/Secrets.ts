import * as Sealed from "#src/access/Sealed.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Clock, Effect, Redacted, Schema } from "effect"

/** A secret, and epoch ms after which it signs no more; absent: it is the webhook's own. */
export interface StoredSecret {
  readonly secret: string
  readonly until?: number | undefined
}

const text = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ secret: Schema.String, until: Schema.optional(Schema.Number) }))
)
const encode = Schema.encodeEffect(text)
const decode = Schema.decodeEffect(text)

const placeOf = (scope: Scope, id: string) => `${scope} ${id}`

/** The secrets of webhooks as they are stored: sealed, the newest first (P9). */
export const make = Effect.map(Sealed.make("webhook secrets"), ({ open, seal }) => {
  const opened = Effect.fnUntraced(function*(scope: Scope, id: string, sealed: string) {
    return yield* decode(Redacted.value(yield* open(placeOf(scope, id), sealed)))
  })

  return {
    seal: Effect.fnUntraced(function*(scope: Scope, id: string, secrets: ReadonlyArray<StoredSecret>) {
      return yield* seal(placeOf(scope, id), Redacted.make(yield* Effect.orDie(encode(secrets))))
    }),
    /** Those that sign now. Fails if they were sealed with another key, or are not what this version writes. */
    open: Effect.fnUntraced(function*(scope: Scope, id: string, sealed: string) {
      const now = yield* Clock.currentTimeMillis
      const all = yield* opened(scope, id, sealed)
      return all.filter(({ until }) => until === undefined || now < until).map(({ secret }) => Redacted.make(secret))
    })
  }
})
