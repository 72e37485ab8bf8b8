import * as Sealed from "#src/access/Sealed.ts"
import type { Scope } from "#schemas/Scope.ts"
import { overlap } from "#src/reports/Webhooks.ts"
import { Clock, Duration, Effect, Option, Redacted, Schema } from "effect"

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

  const sealed = Effect.fnUntraced(function*(scope: Scope, id: string, secrets: ReadonlyArray<StoredSecret>) {
    return yield* seal(placeOf(scope, id), Redacted.make(yield* Effect.orDie(encode(secrets))))
  })

  /** What cannot be read signs nothing any more: that must not keep a webhook from being given another secret. */
  const former = Effect.fnUntraced(function*(scope: Scope, id: string, stored: string) {
    const all = yield* Effect.option(opened(scope, id, stored))
    if (Option.isSome(all)) return all.value
    yield* Effect.logError("the secrets of a webhook cannot be read: a new one takes their place", { id })
    return []
  })

  return {
    seal: sealed,
    /** What is stored once a webhook has this secret; the one that it has had until now ends after `overlap`. */
    renewed: Effect.fnUntraced(function*(scope: Scope, id: string, stored: string, secret: Redacted.Redacted) {
      const [newest] = yield* former(scope, id, stored)
      // A caller who repeats itself must not end the one before.
      if (newest?.secret === Redacted.value(secret)) return stored
      const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(overlap)
      return yield* sealed(scope, id, [
        { secret: Redacted.value(secret) },
        ...newest === undefined ? [] : [{ secret: newest.secret, until }]
      ])
    }),
    /** Those that sign now. Fails if they were sealed with another key, or are not what this version writes. */
    open: Effect.fnUntraced(function*(scope: Scope, id: string, sealed: string) {
      const now = yield* Clock.currentTimeMillis
      const all = yield* opened(scope, id, sealed)
      return all.filter(({ until }) => until === undefined || now < until).map(({ secret }) => Redacted.make(secret))
    })
  }
})
