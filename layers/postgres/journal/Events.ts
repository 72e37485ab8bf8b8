import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Step } from "#src/delivery/Journal.ts"

/** The lines of a step as JSON, but for what its attempt rendered, which has a row of its own; `undefined` if there are none. */
export const textOf = (step: Step): string | undefined => {
  const { events } = step
  if (events.length === 0) return undefined
  const shown = Outputs.shown(step)
  return JSON.stringify(
    shown === undefined ? events : events.map((event) => {
      const { output, ...rest } = event
      return output === shown ? rest : event
    })
  )
}

/** The lines as they were before they were stored. */
export const withOutput = (
  events: ReadonlyArray<HistoryEvent>,
  output: HistoryEvent["output"]
): ReadonlyArray<HistoryEvent> =>
  events.map((event) =>
    event.type === "RENDERED" && event.output === undefined && output !== undefined ? { ...event, output } : event
  )
