import * as Events from "#layers/postgres/journal/Events.ts"
import type { HistoryEvent } from "#schemas/History.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { describe, expect, it } from "@effect/vitest"

const output: Rendered = {
  title: "\"quoted\"\u2028",
  subject: "",
  body: "{}],",
  text: "",
  html: "<p>\\</p>",
  blocks: [],
  actions: [{ content: "c", href: "https://example.com" }]
}
const where = { channel: "email", provider: "null", attempt: 1 }
const events: ReadonlyArray<HistoryEvent> = [
  { type: "ROUTED", ts: 1 },
  { type: "RENDERED", ts: 2, ...where, output },
  { type: "DELIVERING", ts: 3, ...where },
  { type: "RENDERED", ts: 4, ...where, attempt: 2, output },
  { type: "RENDERED", ts: 5, ...where, output: { ...output, html: "another" } }
]

describe("the journal's lines", () => {
  it("are the same JSON, whether or not messages have a rendering in common", () => {
    expect(Events.textOf(events)).toBe(JSON.stringify(events))
    expect(Events.textOf([])).toBe("[]")
    expect(Events.outputOf(output)).toBe(JSON.stringify(output))
  })
})
