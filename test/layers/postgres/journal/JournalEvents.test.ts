import * as Events from "#layers/postgres/journal/Events.ts"
import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import { HistoryEvent } from "#schemas/History.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Rendered } from "#schemas/Rendered.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import type { Step } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Effect, Schema, Struct } from "effect"
import { assert, describe, expect, it } from "@effect/vitest"

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
  { type: "RENDERED", ts: 5, ...where, output: { ...output, html: "another" } }
]

const at = 1_795_000_000_000
const request = Ids.make(at, new Uint8Array(11))
const step = (id: MessageId, more: Partial<Step> = {}): Step => ({
  message: { id, scope: Scope.make(1), shard: 0, lane: "transactional", dueAt: 0 },
  epoch: 1,
  at,
  attempt: { ...Fixture.attempt(1, "intent"), startedAt: at },
  lifecycle: ["Route"],
  conditional: true,
  events,
  ...more
})

const read = (text: string | undefined) =>
  Events.of(Schema.decodeUnknownSync(Schema.fromJsonString(Events.Stored))(text))

/** What lines say of their attempt, or of another one. */
const told = {
  type: HistoryEvent.fields.type,
  ts: Schema.Literals([1, 2]),
  channel: Schema.optionalKey(Schema.Literals(["email", "sms"])),
  provider: Schema.optionalKey(Schema.Literals(["null", "ses"])),
  attempt: Schema.optionalKey(Schema.Literals([1, 2]))
}
/** Half of them say no more than that. */
const line = Schema.Union([
  Schema.Struct(told),
  Schema.Struct({ ...Struct.omit(HistoryEvent.fields, ["output"]), ...told })
])

describe("the journal's lines", () => {
  it.effect.prop("are the same when they are read, whatever they say and whether or not they are an attempt's", {
    events: Schema.NonEmptyArray(line)
  }, ({ events }) =>
    Effect.sync(() => {
      // JSON has no -0.
      const expected: unknown = JSON.parse(JSON.stringify(events))
      const attempt = { ...Fixture.attempt(1, "intent"), ...Struct.pick(where, ["channel", "provider"]) }
      for (const one of [attempt, undefined]) {
        assert.deepStrictEqual(read(Events.textOf(step(request, { attempt: one, events }))), expected)
      }
    }))

  it("of an attempt do not say again what it says, and are read as they were stored before", () => {
    const { attempt } = step(request)
    const shared = { channel: attempt?.channel ?? "", provider: attempt?.provider ?? "", attempt: 1 }
    const events: ReadonlyArray<HistoryEvent> = [{ type: "ROUTED", ts: 1 }, { type: "DELIVERING", ts: 1, ...shared }]
    expect(Events.textOf(step(request, { events }))).toBe(
      JSON.stringify([1, shared.channel, shared.provider, 1, "ROUTED", ["DELIVERING"]])
    )
    expect(read(JSON.stringify(events))).toEqual(events)
  })

  it("are the same when they are read, with what their attempt rendered in a row of its own", () => {
    const lines = read(Events.textOf(step(request)))
    expect(lines[1]).not.toHaveProperty("output")
    expect(Events.withOutput(lines, output)).toEqual(events)
    expect(Outputs.textOf(output)).toBe(JSON.stringify(output))
    expect(Events.textOf(step(request, { events: [] }))).toBeUndefined()
  })

  it("a step that is no attempt's keeps everything in its lines", () => {
    expect(Events.textOf(step(request, { attempt: undefined }))).toBe(JSON.stringify(events))
    expect(Outputs.of([step(request, { attempt: undefined })])).toEqual([undefined])
  })

  it("what several messages of a request show is stored once for them, and with nobody of another request or scope", () => {
    const [one, two] = ["a", "b"].map((name) => Ids.member(request, name))
    const other = Ids.make(at + 1, new Uint8Array(11))
    const elsewhere: Step["message"] = { ...step(other).message, scope: Scope.make(2) }
    const same = [
      step(one ?? request),
      step(two ?? request),
      step(other),
      step(other, { message: elsewhere }),
      step(request)
    ]
    expect(Outputs.of(same)).toEqual([0, 0, 2, 3, 4])
    const copies = [
      step(one ?? request),
      step(two ?? request, { events: events.map((event) => ({ ...event, output: { ...output } })) })
    ]
    expect(Outputs.of(copies)).toEqual([0, 1])
  })
})
