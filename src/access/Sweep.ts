import { Idempotency } from "#src/access/Idempotency.ts"
import { Effect, Layer, Schedule } from "effect"

/** Rows of one delete: small, so that no request waits for it (reliability.md 2.2). */
const batch = 5_000

/** Deletes idempotency keys past their expiry, every ten minutes; an expired key counts as absent even before. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const idempotency = yield* Idempotency
  const sweep = idempotency.sweep(batch).pipe(
    Effect.repeat({ while: (deleted) => deleted === batch }),
    Effect.catch((error) => Effect.logWarning("cannot sweep idempotency keys", error))
  )
  yield* sweep.pipe(Effect.schedule(Schedule.spaced("10 minutes")), Effect.forkScoped)
}))
