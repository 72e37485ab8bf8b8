import { OutputPartName } from "#schemas/api/Messages.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { Schema } from "effect"

/** The message has no such rendering, or the rendering does not have this part. */
export class OutputNotFound extends Schema.TaggedError<OutputNotFound>()("OutputNotFound", {
  id: Schema.String,
  outputId: Schema.String,
  part: Schema.String
}) {}

/** One part of a rendering, and its media type. */
export interface OutputPart {
  readonly contentType: string
  readonly text: string
}

const text = "text/plain; charset=utf-8"

/**
 * The parts of a rendering that can be read separately (api.md §4, RENDERED). A text part that the channel does not
 * have is empty.
 */
const readers: Readonly<Record<OutputPartName, (output: Rendered) => OutputPart>> = {
  html: ({ html }) => ({ contentType: "text/html; charset=utf-8", text: html }),
  title: ({ title }) => ({ contentType: text, text: title }),
  body: ({ body }) => ({ contentType: text, text: body }),
  subject: ({ subject }) => ({ contentType: text, text: subject }),
  blocks: ({ blocks }) => ({
    contentType: "application/json",
    text: blocks.length === 0 ? "" : JSON.stringify(blocks)
  }),
  text: (output) => ({ contentType: text, text: output.text })
}

const partOf = (output: Rendered, name: OutputPartName): OutputPart | undefined => {
  const part = readers[name](output)
  return part.text === "" ? undefined : part
}

/** An output's id is the number of the attempt that it was made for. */
const isOf = ({ attempt }: HistoryEvent, outputId: string): boolean => String(attempt) === outputId

/** The root-relative path of each part of a rendering; `undefined` for an event that is not a rendering. */
export const paths = (id: MessageId, { attempt, output }: HistoryEvent): Readonly<Record<string, string>> | undefined =>
  output === undefined || attempt === undefined ? undefined : Object.fromEntries(
    OutputPartName.literals.flatMap((name) =>
      partOf(output, name) === undefined ? [] : [[name, `/messages/${id}/output/${attempt}/${name}`]]
    )
  )

/** Finds a part of a message's rendering in the message's timeline. */
export const find = (
  events: ReadonlyArray<HistoryEvent>,
  outputId: string,
  name: OutputPartName
): OutputPart | undefined => {
  const output = events.find((event) => event.output !== undefined && isOf(event, outputId))?.output
  return output === undefined ? undefined : partOf(output, name)
}
