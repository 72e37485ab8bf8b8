import { OutputPartName } from "#schemas/api/Messages.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { Schema } from "effect"

/** A message that has no such rendering, or one that does not have this part. */
export class OutputNotFound extends Schema.TaggedError<OutputNotFound>()("OutputNotFound", {
  id: Schema.String,
  outputId: Schema.String,
  part: Schema.String
}) {}

/** One part of what a channel was given to send, and its media type. */
export interface OutputPart {
  readonly contentType: string
  readonly text: string
}

const text = "text/plain; charset=utf-8"

/** The parts that can be read one by one (api.md §4, RENDERED); each is empty where its channel has none. */
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

/** An output is named by the attempt it was made for. */
const isOf = ({ attempt }: HistoryEvent, outputId: string): boolean => String(attempt) === outputId

/** Where each part of a rendering is read, root-relative; `undefined` for what is no rendering. */
export const paths = (id: MessageId, { attempt, output }: HistoryEvent): Readonly<Record<string, string>> | undefined =>
  output === undefined || attempt === undefined ? undefined : Object.fromEntries(
    OutputPartName.literals.flatMap((name) =>
      partOf(output, name) === undefined ? [] : [[name, `/messages/${id}/output/${attempt}/${name}`]]
    )
  )

/** The part of this name of a message's rendering, out of its timeline. */
export const find = (
  events: ReadonlyArray<HistoryEvent>,
  outputId: string,
  name: OutputPartName
): OutputPart | undefined => {
  const output = events.find((event) => event.output !== undefined && isOf(event, outputId))?.output
  return output === undefined ? undefined : partOf(output, name)
}
