import { HistoryEvent } from "#schemas/History.ts"
import { Order, Schema } from "effect"

const Row = Schema.Struct({
  at: Schema.Number,
  step: Schema.String,
  events: Schema.fromJsonString(Schema.Array(HistoryEvent))
})
type Row = typeof Row.Type

export const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

/** Steps of one millisecond: the acceptance, what the owner did (`<attempt>:<state>`, an intent before its outcome), what came from outside. */
const rank = ({ step }: Row): number => {
  if (step === "accept") return 0
  const [number, state] = step.split(":")
  if (state === undefined) return Number.MAX_SAFE_INTEGER
  return 1 + 2 * Number(number) + (state === "begin" || state === "intent" ? 0 : 1)
}

const order = Order.combine(
  Order.mapInput(Order.Number, (row: Row) => row.at),
  Order.mapInput(Order.Number, rank)
)

/** Oldest first; ENQUEUED is the message row itself. */
export const fold = (enqueuedAt: number, rows: ReadonlyArray<Row>): ReadonlyArray<HistoryEvent> => [
  { type: "ENQUEUED", ts: enqueuedAt },
  ...rows.toSorted(order).flatMap((row) => row.events)
]
