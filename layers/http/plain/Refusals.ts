import { overloads } from "#layers/http/Replies.ts"
import { toStored } from "#layers/http/StoredReply.ts"
import type { StoredResponse } from "#src/access/Idempotency.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Array, Context, Effect, Random } from "effect"

/**
 * Counts a send that is refused unread, and tells its answer. The answers are made once and no effect is run for one:
 * while ten times as much is offered as can be done, nine refusals stand beside each acceptance, and what they cost is
 * lost to it. As effects they cost 10 us each, on top of the 30 us that Node takes to read a request and write an answer.
 */
export const make = Effect.map(
  Effect.forEach(overloads, toStored),
  (answers) => (context: Context.Context<never>): () => StoredResponse => {
    const random = Context.get(context, Random.Random)
    return () => {
      Metrics.overloaded.updateUnsafe(1, context)
      return Array.getUnsafe(answers, Math.floor(random.nextDoubleUnsafe() * answers.length))
    }
  }
)
