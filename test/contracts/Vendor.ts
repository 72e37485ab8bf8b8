import type { Entry } from "#layers/providers/Catalogue.ts"
import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import type { DeliveryError, Kind } from "#schemas/DeliveryError.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Acceptance, Delivery } from "#src/delivery/Provider.ts"
import * as MessageId from "#schemas/MessageId.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer, Result, Schema } from "effect"

/** A refusal as the vendor words it, and what it must become. */
export interface Refusal {
  readonly name: string
  readonly answer: ScriptedVendor.Answer
  readonly kind: Kind
  readonly invalidates?: boolean
}

/** What a vendor has to show to be in the catalogue. */
export interface Row {
  readonly entry: Entry<VendorHttp.VendorHttp>
  /** As they are sent to us, without `base_url`; `{origin}` in a value is the scripted server's. */
  readonly settings: Schema.JsonObject
  readonly profile: Schema.JsonObject
  readonly override?: Schema.JsonObject
  readonly http2?: boolean
  /** Answers to the calls that come before the one that sends, by path. */
  readonly before?: Readonly<Record<string, ScriptedVendor.Answer>>
  /** The vendor's own example of a success, and the reference in it. */
  readonly success: ScriptedVendor.Answer
  readonly reference: string | undefined
  /** The request that example answers. */
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string | RegExp>>
    readonly body: Schema.Json
  }
  /** The kinds of the vendor's table; among them one of the recipient and one of the content. */
  readonly refusals: ReadonlyArray<Refusal>
  /** Cells where the vendor's table differs from the usual, with the reason. */
  readonly differs?: Readonly<Partial<Record<string, { readonly outcome: Outcome; readonly why: string }>>>
}

export type Outcome = Kind | "Accepted"

export const rendered: Delivery["rendered"] = {
  title: "Your order",
  subject: "Your order 42",
  body: "It is on its way.",
  text: "It is on its way.",
  html: "<p>It is on its way.</p>",
  blocks: [],
  actions: []
}

export const messageId = MessageId.MessageId.make("1-67890abc-0123456789abcdef01234567")

export const delivery = (row: Pick<Row, "entry" | "profile" | "override">, more: Partial<Delivery> = {}): Delivery => ({
  scope: Scope.make(1),
  messageId,
  attempt: 1,
  idempotencyToken: `${messageId}:${row.entry.channel}:${row.entry.key}`,
  channel: row.entry.channel,
  profile: row.profile,
  rendered,
  data: {},
  override: row.override ?? {},
  ...more
})

/** Sends one delivery over the vendor as configured, to a server that answers as scripted. */
export const send = Effect.fnUntraced(
  function*(row: Row, reply: ScriptedVendor.Reply, options: { readonly deadlineMs?: number; readonly more?: Partial<Delivery> } = {}) {
    const server = yield* ScriptedVendor.listen({
      http2: row.http2 === true,
      script: ({ path }) => row.before?.[path.split("?")[0] ?? ""] ?? reply
    })
    const result = yield* sendTo(row, server.origin, options)
    return { result, seen: server.seen }
  },
  Effect.scoped
)

/** Sends one delivery to the vendor at `base`. */
export const sendTo = Effect.fnUntraced(
  function*(row: Row, base: string, options: { readonly deadlineMs?: number; readonly more?: Partial<Delivery> } = {}) {
    const settings = Object.fromEntries(
      Object.entries(row.settings).map(([name, value]) => [
        name,
        typeof value === "string" ? value.replace("{origin}", base) : value
      ])
    )
    const http = Layer.effect(VendorHttp.VendorHttp, VendorHttp.make({ deadlineMs: options.deadlineMs ?? 10_000 }))
    return yield* Effect.flatMap(
      row.entry.configure({ ...settings, base_url: base }),
      (vendor) => Effect.result(vendor.send(delivery(row, options.more)))
    ).pipe(Effect.provide(http))
  },
  Effect.scoped
)

export const outcomeOf = (result: Result.Result<Acceptance, DeliveryError>): Outcome =>
  Result.isSuccess(result) ? "Accepted" : result.failure._tag

/** Whether the channel's next provider may be tried, at once or after this one's own schedule (design.md §5). */
export const failsOver = (outcome: Outcome): boolean =>
  outcome === "Unavailable" || outcome === "RateLimited" || outcome === "Misconfigured"

const day = 24 * 3_600_000

interface Cell {
  readonly name: string
  readonly reply: (row: Row, now: number) => ScriptedVendor.Reply
  readonly outcome: Outcome
  /** ms; a pair is a range. */
  readonly retryAfter?: readonly [least: number, most: number]
  readonly deadlineMs?: number
}

const status = (code: number, outcome: Outcome, retryAfter?: string, wait?: readonly [number, number]): Cell => ({
  name: retryAfter === undefined ? `${code}` : `${code} Retry-After ${retryAfter.length > 4 ? "absurd" : "seconds"}`,
  reply: () => ({ status: code, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } }),
  outcome,
  ...(wait === undefined ? {} : { retryAfter: wait })
})

const httpDate = (at: number) => DateTime.toDateUtc(DateTime.makeUnsafe(at)).toUTCString()

/** The cells that every vendor over HTTP fills (issue 3). */
export const cells: ReadonlyArray<Cell> = [
  { name: "success", reply: (row) => row.success, outcome: "Accepted" },
  status(401, "Misconfigured"),
  status(403, "Misconfigured"),
  status(404, "Misconfigured"),
  status(408, "Unavailable"),
  status(429, "RateLimited"),
  status(429, "RateLimited", "7", [7_000, 7_000]),
  {
    name: "429 Retry-After date",
    reply: (_, now) => ({ status: 429, headers: { "retry-after": httpDate(now + 90_000) } }),
    outcome: "RateLimited",
    retryAfter: [80_000, 90_000]
  },
  status(429, "RateLimited", "999999999999", [day, day]),
  status(500, "Unavailable"),
  status(502, "Unavailable"),
  status(503, "Unavailable"),
  status(503, "Unavailable", "30", [30_000, 30_000]),
  status(504, "Unavailable"),
  { name: "reset before body", reply: () => ({ reset: "before" }), outcome: "Unknown" },
  { name: "reset during body", reply: () => ({ reset: "during" }), outcome: "Unknown" },
  { name: "reset after body", reply: () => ({ reset: "after" }), outcome: "Unknown" },
  { name: "silence", reply: () => "silence", outcome: "Unknown", deadlineMs: 150 },
  { name: "garbage 2xx", reply: () => ({ status: 200, body: "<html>It works!</html>" }), outcome: "Unknown" },
  { name: "empty 2xx", reply: () => ({ status: 200 }), outcome: "Unknown" },
  { name: "truncated JSON", reply: (row) => ({ status: 200, body: (row.success.body ?? "{\"id\":").slice(0, -2) || "{\"id\":" }), outcome: "Unknown" },
  { name: "cut answer", reply: (row) => ({ cut: row.success.body ?? "{}" }), outcome: "Unknown" },
  { name: "answer over 1 MB", reply: () => ({ status: 200, body: " ".repeat(1_100_000) }), outcome: "Unknown" },
  { name: "redirect", reply: () => ({ status: 307, headers: { location: "http://127.0.0.1:1/" } }), outcome: "Misconfigured" },
  { name: "drip", reply: () => "drip", outcome: "Unknown", deadlineMs: 150 }
]

/** What a run found, for the table at its end. */
export const found = new Map<string, Map<string, Outcome>>()

const note = (row: Row, cell: string, outcome: Outcome) => {
  const line = found.get(row.entry.key) ?? new Map<string, Outcome>()
  found.set(row.entry.key, line.set(cell, outcome))
}

const checkRequest = (row: Row, seen: ScriptedVendor.Seen) => {
  assert.deepStrictEqual([seen.method, seen.path], [row.request.method, row.request.path])
  assert.strictEqual(seen.version, row.http2 === true ? "2.0" : "1.1")
  for (const [name, expected] of Object.entries(row.request.headers)) {
    if (typeof expected === "string") assert.strictEqual(seen.headers[name], expected, name)
    else assert.match(seen.headers[name] ?? "", expected, name)
  }
  const body = seen.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
    ? Object.fromEntries(new URLSearchParams(seen.body))
    : JSON.parse(seen.body)
  assert.deepStrictEqual(body, row.request.body)
}

const runCell = (row: Row, cell: Cell) =>
  Effect.gen(function*() {
    const outcome = row.differs?.[cell.name]?.outcome ?? cell.outcome
    const started = yield* Clock.monotonicTimeNanos
    const reply = cell.reply(row, yield* Clock.currentTimeMillis)
    const { result, seen } = yield* send(row, reply, cell.deadlineMs === undefined ? {} : { deadlineMs: cell.deadlineMs })
    const took = Number((yield* Clock.monotonicTimeNanos) - started) / 1e6
    note(row, cell.name, outcomeOf(result))
    assert.strictEqual(outcomeOf(result), outcome)
    assert.strictEqual(failsOver(outcomeOf(result)), failsOver(outcome))
    if (Result.isSuccess(result)) {
      if (cell.name !== "success") return
      assert.strictEqual(result.success.reference, row.reference)
      const sent = seen.at(-1)
      if (sent === undefined) return assert.fail("nothing was sent")
      return checkRequest(row, sent)
    }
    if (result.failure._tag === "RecipientRejected") assert.isFalse(result.failure.invalidates === true)
    const wait = "retryAfter" in result.failure ? result.failure.retryAfter : undefined
    const [least, most] = cell.retryAfter ?? []
    if (least === undefined || most === undefined) assert.isUndefined(wait)
    else assert.isTrue(wait !== undefined && wait >= least && wait <= most, `waits ${wait} ms`)
    if (cell.deadlineMs !== undefined) assert.isBelow(took, cell.deadlineMs + 2_000)
  })

const runRefusal = (row: Row, refusal: Refusal) =>
  Effect.gen(function*() {
    const { result } = yield* send(row, refusal.answer)
    note(row, refusal.name, outcomeOf(result))
    assert.strictEqual(outcomeOf(result), refusal.kind)
    if (Result.isFailure(result) && result.failure._tag === "RecipientRejected") {
      assert.strictEqual(result.failure.invalidates === true, refusal.invalidates === true)
    }
  })

/** The promises of a vendor over HTTP, cell by cell. */
export const conforms = (row: Row) =>
  describe(`${row.entry.name} (${row.entry.key})`, () => {
    for (const cell of cells) {
      const differs = row.differs?.[cell.name]
      const outcome = differs?.outcome ?? cell.outcome
      it.live(`P4: ${cell.name} is ${outcome}${differs === undefined ? "" : `: ${differs.why}`}`, () => runCell(row, cell))
    }
    for (const refusal of row.refusals) {
      const dead = refusal.invalidates === true ? ", and the address is dead" : ""
      it.live(`${refusal.name} is ${refusal.kind}${dead}`, () => runRefusal(row, refusal))
    }
    it("has recorded refusals of the recipient and of the content", () => {
      const kinds = row.refusals.map(({ kind }) => kind)
      assert.includeMembers(kinds, ["RecipientRejected", "ContentRejected"])
    })
    it("names no cell that does not exist", () => {
      assert.includeMembers(cells.map(({ name }) => name), Object.keys(row.differs ?? {}))
    })
    it.live("reaches those alone who have its address", () =>
      Effect.gen(function*() {
        const vendor = yield* row.entry.configure(row.settings)
        assert.isTrue(vendor.reaches(row.profile))
        assert.isFalse(vendor.reaches({ user_id: "ann" }))
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.effect(VendorHttp.VendorHttp, VendorHttp.make({ deadlineMs: 1_000 })))
      ))
  })
