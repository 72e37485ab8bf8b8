import type { HistoryEvent } from "#schemas/History.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { recent } from "#src/content/Recent.ts"

/** A rendered message as JSON: where the messages of a fan-out have one in common, it is written out once. */
export const outputOf = recent(4, (output: Rendered): string => JSON.stringify(output))

const one = (event: HistoryEvent): string => {
  if (event.output === undefined) return JSON.stringify(event)
  const { output, ...rest } = event
  return `${JSON.stringify(rest).slice(0, -1)},"output":${outputOf(output)}}`
}

/** The lines of a step as JSON. */
export const textOf = (events: ReadonlyArray<HistoryEvent>): string => `[${events.map(one).join(",")}]`
