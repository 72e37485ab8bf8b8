import type { Attempt } from "#schemas/Attempt.ts"
import type { Journal } from "#src/delivery/Journal.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { Effect } from "effect"

/** Tells what a provider answered to an owner that had lost the message's shard by then; answers whether it is stored. */
export type Belated = (message: Pick<OpenMessage, "id" | "scope">, attempt: Attempt) => Effect.Effect<boolean>

/**
 * That a provider took a message is known though its owner may not write it any more: it goes through the second door,
 * like a receipt, or the successor would have to call again (P4; reliability.md 2.6). If that cannot be written either,
 * or the successor has called again, the outcome stays unknown.
 */
export const make = (journal: Pick<Journal["Service"], "observe">): Belated => ({ id, scope }, attempt) => {
  const { endedAt, number, provider, reference, startedAt, state } = attempt
  if (state !== "accepted") return Effect.succeed(false)
  return journal.observe({
    scope,
    id,
    event: "Send",
    history: { type: "SENT", ts: endedAt ?? startedAt, ...(reference === null ? {} : { reference }) },
    eventId: `call ${number} of ${startedAt}`,
    call: { providers: [provider], number, reference: reference ?? undefined, isLast: true }
  }).pipe(
    Effect.as(true),
    Effect.catch((error) =>
      Effect.as(Effect.logWarning("what a call has come to cannot be written", { messageId: id, number }, error), false)
    )
  )
}
