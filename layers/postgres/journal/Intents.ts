import * as Events from "#layers/postgres/journal/Events.ts"
import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import * as StepRows from "#layers/postgres/journal/StepRows.ts"
import * as Texts from "#layers/postgres/journal/Texts.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Step, StepResult } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"

/** The columns that a new message's row has in addition if it is stored with the intent of its first call. */
export const ownTypes = "n int, k int, epoch bigint, started_at bigint, in_tenant text, of_template text, output int"
export const ownColumns = "n, k, epoch, started_at, in_tenant, of_template, output"

/** The columns that many such intents share. */
export const kindTypes = "k int, target text, number smallint, channel text, provider text, state text"
export const kindColumns = "kinds.target, kinds.number, kinds.channel, kinds.provider, kinds.state"

/** The intents of a page. `rows`, by message id, holds what is added to the row of each message. */
export const of = (intents: ReadonlyArray<Step>) => {
  const outputs = Outputs.of(intents)
  const { kinds, rows } = StepRows.of(intents, outputs)
  return {
    kinds,
    rows: new Map(
      rows.map(({ epoch, id, in_tenant, k, n, of_template, output, started_at }) =>
        [id, { n, k, epoch, started_at, in_tenant, of_template, output }] as const
      )
    ),
    lines: Texts.of(intents, Events.textOf),
    outputs: Outputs.texts(intents, outputs)
  }
}

/**
 * The results of the first steps of a page's messages. An intent that was `left` (by its place) was not stored. All steps
 * of messages that were `known`, there before, are refused.
 */
export const results = (
  intents: ReadonlyArray<Step>,
  { known, left }: { readonly left: ReadonlyArray<number>; readonly known: ReadonlyArray<MessageId> },
  provenAtNanos: bigint
): ReadonlyMap<MessageId, StepResult> => {
  const out = new Set(left)
  const results = new Map<MessageId, StepResult>()
  for (const [n, { lifecycle, message }] of intents.entries()) {
    const status = Lifecycle.target(lifecycle)
    if (!out.has(n) && status !== undefined) results.set(message.id, { _tag: "Written", status, provenAtNanos })
  }
  for (const id of known) results.set(id, { _tag: "Refused" })
  return results
}
