import { OutputPartName } from "#schemas/api/Messages.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Rendered } from "#schemas/Rendered.ts"
import * as OutputParts from "#src/reports/OutputParts.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const id = Schema.decodeSync(MessageId)("1-00000000-000000000000000000000000")

describe("OutputParts", () => {
  it.effect.prop(
    "a path leads to what was rendered: every part that says something has one, and no other",
    { output: Rendered },
    ({ output }) =>
      Effect.sync(() => {
        const event: HistoryEvent = { type: "RENDERED", ts: 0, channel: "email", provider: "smtp", attempt: 3, output }
        const other: HistoryEvent = { ...event, attempt: 1, output: { ...output, title: `not ${output.title}` } }
        const paths = OutputParts.paths(id, event) ?? {}
        const said = {
          html: output.html,
          title: output.title,
          body: output.body,
          subject: output.subject,
          text: output.text,
          blocks: output.blocks.length === 0 ? "" : JSON.stringify(output.blocks)
        }
        for (const part of OutputPartName.literals) {
          const text = said[part] === "" ? undefined : said[part]
          assert.strictEqual(paths[part], text === undefined ? undefined : `/messages/${id}/output/3/${part}`)
          assert.strictEqual(OutputParts.find([other, event], "3", part)?.text, text)
        }
      })
  )
})
