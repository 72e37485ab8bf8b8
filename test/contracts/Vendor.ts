import { usedUp } from "#layers/providers/Verdict.ts"
import {
  configure,
  type Outcome,
  outcomeOf,
  type Refusal,
  type Row,
  send,
  sendTo,
  settingsAt,
  withHttp
} from "#test/contracts/VendorRow.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Result } from "effect"

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
  readonly endless?: true
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
  { name: "silence", reply: () => "silence", outcome: "Unknown", endless: true },
  { name: "garbage 2xx", reply: () => ({ status: 200, body: "<html>It works!</html>" }), outcome: "Unknown" },
  { name: "empty 2xx", reply: () => ({ status: 200 }), outcome: "Unknown" },
  {
    name: "truncated JSON",
    reply: (row) => ({ status: 200, body: (row.success.body ?? "{\"id\":").slice(0, -2) || "{\"id\":" }),
    outcome: "Unknown"
  },
  { name: "cut answer", reply: (row) => ({ cut: row.success.body ?? "{}" }), outcome: "Unknown" },
  { name: "answer over 1 MB", reply: () => ({ status: 200, body: " ".repeat(1_100_000) }), outcome: "Unknown" },
  {
    name: "redirect",
    reply: () => ({ status: 307, headers: { location: "http://127.0.0.1:1/" } }),
    outcome: "Misconfigured"
  },
  { name: "drip", reply: () => "drip", outcome: "Unknown", endless: true }
]

/** Where nothing was sent for certain, as no connection came about: `base` for the port of a server in clear text. */
const proofs: Readonly<Record<string, (port: number) => string>> = {
  "connection refused": () => "http://127.0.0.1:1",
  "unknown host": () => "http://vendor.invalid",
  "no TLS": (port) => `https://127.0.0.1:${port}`
}

export const cellNames = [...cells.map(({ name }) => name), ...Object.keys(proofs)]

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
    const reply = cell.reply(row, yield* Clock.currentTimeMillis)
    const { result, seen } = yield* send(row, reply, { endless: cell.endless === true })
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
  })

const runProof = (row: Row, name: string, base: (port: number) => string) =>
  Effect.gen(function*() {
    const { port, seen } = yield* ScriptedVendor.listen({ script: () => ({ status: 200 }) })
    const result = yield* sendTo(row, base(port))
    note(row, name, outcomeOf(result))
    assert.deepStrictEqual([outcomeOf(result), seen.length], ["Unavailable", 0])
  }).pipe(Effect.scoped)

const runRefusal = (row: Row, refusal: Refusal) =>
  Effect.gen(function*() {
    const { result } = yield* send(row, refusal.answer)
    note(row, refusal.name, outcomeOf(result))
    assert.strictEqual(outcomeOf(result), refusal.kind)
    if (Result.isFailure(result) && result.failure._tag === "RecipientRejected") {
      assert.strictEqual(result.failure.invalidates === true, refusal.invalidates === true)
    }
    const wait = Result.isFailure(result) && "retryAfter" in result.failure ? result.failure.retryAfter : undefined
    assert.strictEqual(wait, refusal.usedUp === true ? usedUp : undefined)
  })

/** The promises of a vendor over HTTP, cell by cell. */
export const conforms = (row: Row) =>
  describe(`${row.entry.name} (${row.entry.key})`, () => {
    for (const cell of cells) {
      const differs = row.differs?.[cell.name]
      const outcome = differs?.outcome ?? cell.outcome
      it.live(`P4: ${cell.name} is ${outcome}${differs === undefined ? "" : `: ${differs.why}`}`, () =>
        runCell(row, cell))
    }
    for (const [name, base] of Object.entries(proofs)) {
      it.live(`P4: ${name} is Unavailable, for nothing was sent`, () => runProof(row, name, base))
    }
    for (const refusal of row.refusals) {
      const dead = refusal.invalidates === true ? ", and the address is dead" : ""
      const waits = refusal.usedUp === true ? ", and the vendor is left alone for minutes" : ""
      it.live(`${refusal.name} is ${refusal.kind}${dead}${waits}`, () => runRefusal(row, refusal))
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
        const vendor = yield* configure(row, settingsAt(row, "http://127.0.0.1:1"))
        assert.isTrue(vendor.reaches(row.profile))
        assert.isFalse(vendor.reaches({ user_id: "ann" }))
      }).pipe(withHttp(1_000), Effect.scoped))
  })
