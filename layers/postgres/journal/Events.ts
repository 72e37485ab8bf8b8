import * as Weight from "#src/delivery/journal/Weight.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Step } from "#src/delivery/Journal.ts"

/**
 * The timeline's lines of a step as JSON, without what its attempt rendered, which has a row of its own; `undefined` if
 * there are none.
 */
export const textOf = (step: Step): string | undefined => {
  const { events } = step
  if (events.length === 0) return undefined
  const shown = Weight.shown(step)
  return JSON.stringify(
    shown === undefined
      ? events
      : events.map((event) => event.output === shown ? { ...event, output: undefined } : event)
  )
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
