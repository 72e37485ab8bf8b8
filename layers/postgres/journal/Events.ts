import * as Weight from "#src/delivery/journal/Weight.ts"
import { HistoryEvent, HistoryType } from "#schemas/History.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import type { Step } from "#src/delivery/Journal.ts"
import { Schema, Struct } from "effect"

/**
 * A line that says nothing but its type and what all lines of its attempt share: as a text, the time alone; in
 * brackets, the channel, the provider and the number as well. Any other line is there in full.
 */
const Line = Schema.Union([HistoryType, Schema.Tuple([HistoryType]), HistoryEvent])

const Shared = Schema.TupleWithRest(Schema.Tuple([Schema.Finite, Schema.String, Schema.String, Schema.Int]), [Line])

/**
 * The lines of an attempt as they are stored, behind the time of the first (epoch ms), the channel, the provider and
 * the number: most lines are these and a type. Steps of no attempt have their lines in full, as attempts had before.
 */
export const Stored = Schema.Union([Shared, Schema.Array(HistoryEvent)])

const isShared = (stored: typeof Stored.Type): stored is typeof Shared.Type => typeof stored[0] === "number"

const inFull = (event: HistoryEvent, shown: Rendered | undefined): string =>
  JSON.stringify(shown !== undefined && event.output === shown ? Struct.omit(event, ["output"]) : event)

/** A `Line` as JSON. It is put together, since a timeline has the names of types and little else. */
const lineOf = (
  event: HistoryEvent,
  ts: number,
  attempt: NonNullable<Step["attempt"]>,
  shown: Rendered | undefined
): string => {
  let told = 0
  for (const key in event) {
    switch (key) {
      case "type":
        break
      case "ts":
        if (event.ts !== ts) return inFull(event, shown)
        break
      case "channel":
        if (event.channel !== attempt.channel) return inFull(event, shown)
        told++
        break
      case "provider":
        if (event.provider !== attempt.provider) return inFull(event, shown)
        told++
        break
      case "attempt":
        if (event.attempt !== attempt.number) return inFull(event, shown)
        told++
        break
      case "output":
        if (event.output !== shown) return inFull(event, shown)
        break
      default:
        return inFull(event, shown)
    }
  }
  return told === 0 ? `"${event.type}"` : told === 3 ? `["${event.type}"]` : inFull(event, shown)
}

/**
 * The timeline's lines of a step as JSON (`Stored`), without what its attempt rendered, which has a row of its own;
 * `undefined` if there are none.
 */
export const textOf = (step: Step): string | undefined => {
  const { attempt, events } = step
  const [first] = events
  if (first === undefined) return undefined
  if (attempt === undefined) return JSON.stringify(events)
  const shown = Weight.shown(step)
  let text = `[${first.ts},${JSON.stringify(attempt.channel)},${JSON.stringify(attempt.provider)},${attempt.number}`
  for (const event of events) text += `,${lineOf(event, first.ts, attempt, shown)}`
  return `${text}]`
}

/** The lines that were stored, in full. */
export const of = (stored: typeof Stored.Type): ReadonlyArray<HistoryEvent> => {
  if (!isShared(stored)) return stored
  const [ts, channel, provider, attempt, ...lines] = stored
  return lines.map((line) => {
    if (typeof line === "string") return { type: line, ts }
    return "type" in line ? line : { type: line[0], ts, channel, provider, attempt }
  })
}

/**
 * An attempt's lines as they were before they were stored. The line of a rendering without `output` is left out: it
 * showed the same as the one before, and so has no row.
 */
export const withOutput = (
  events: ReadonlyArray<HistoryEvent>,
  output: HistoryEvent["output"]
): ReadonlyArray<HistoryEvent> =>
  events.flatMap((event) => {
    if (event.type !== "RENDERED" || event.output !== undefined) return [event]
    return output === undefined ? [] : [{ ...event, output }]
  })
