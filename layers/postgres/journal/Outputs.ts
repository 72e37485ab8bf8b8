import * as Frames from "#layers/postgres/journal/Frames.ts"
import * as Texts from "#layers/postgres/journal/Texts.ts"
import { Rendered } from "#schemas/Rendered.ts"
import * as Frame from "#src/content/Frame.ts"
import { recent } from "#src/cache/Recent.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { shown } from "#src/delivery/journal/Weight.ts"
import type { Step } from "#src/delivery/Journal.ts"
import { Schema } from "effect"

/** A rendering as it is stored: with the name of its frame, and its own parts, in place of its html. */
export const Stored = Schema.Struct({
  ...Rendered.fields,
  frame: Schema.optionalKey(Schema.Struct({ name: Schema.String, own: Schema.Array(Schema.String) }))
})

const storedOf = (output: Rendered): typeof Stored.Type => {
  const framed = Frame.of(output)
  return framed === undefined
    ? output
    : { ...output, html: "", frame: { name: Frames.nameOf(framed.frame), own: framed.own } }
}

/** The rendering as it was, its frame noted again; without a page where its frame is not there. */
export const whole = ({ frame, ...output }: typeof Stored.Type, frames: ReadonlyMap<string, Frame.Frame>): Rendered => {
  const found = frame === undefined ? undefined : frames.get(frame.name)
  if (frame === undefined || found === undefined) return output
  const framed = { frame: found, own: frame.own }
  return Frame.note({ ...output, html: Frame.join(framed) }, framed)
}

/**
 * A rendered message as JSON, without its frame. The last few are remembered: messages of a fan-out that share a
 * rendering write it out once.
 */
export const textOf = recent(4, (output: Rendered): string => JSON.stringify(storedOf(output)))

/** The frames of what a batch shows, which have to be stored before it. */
export const framesOf = (batch: ReadonlyArray<Step>): ReadonlyArray<Frames.Used> =>
  batch.flatMap((step) => {
    const output = shown(step)
    const framed = output === undefined ? undefined : Frame.of(output)
    return framed === undefined ? [] : [{ scope: step.message.scope, frame: framed.frame }]
  })

/**
 * For each step, the index in the batch of the first step of the same request that shows the same rendering
 * (`undefined`: it shows none). One row of `outputs` holds the rendering for all of them; messages of one request share
 * its retention, so the row lives as long as they do. Which message that row belongs to is decided by the SQL
 * statement, since the first step may be refused.
 */
export const of = (batch: ReadonlyArray<Step>): ReadonlyArray<number | undefined> => {
  const first = new Map<Rendered, number>()
  return batch.map((step, n) => {
    const output = shown(step)
    if (output === undefined) return undefined
    const place = first.get(output)
    const earlier = place === undefined ? undefined : batch[place]
    const isShared = earlier?.message.scope === step.message.scope &&
      earlier.attempt?.number === step.attempt?.number &&
      Ids.origin(earlier.message.id) === Ids.origin(step.message.id)
    if (isShared) return place
    first.set(output, n)
    return n
  })
}

/**
 * The different renderings of a batch, each with the index of the first step that shows it; `places` is the answer of
 * `of`.
 */
export const texts = (batch: ReadonlyArray<Step>, places: ReadonlyArray<number | undefined>) =>
  Texts.of(batch, (step, n) => {
    const output = places[n] === n ? shown(step) : undefined
    return output === undefined ? undefined : textOf(output)
  })
