import { toError, type Verdict } from "#layers/providers/Verdict.ts"
import type { VendorAnswer } from "#layers/providers/VendorHttp.ts"
import type { DeliveryError } from "#schemas/DeliveryError.ts"
import * as RetryAfter from "#src/delivery/attempts/RetryAfter.ts"
import { Clock, Effect } from "effect"

/** What a vendor says about a refusal: its codes, the most telling first, and its words. */
export interface Fault {
  readonly codes: ReadonlyArray<string>
  readonly message: string
}

/** One line of a vendor's error table. What it names must all be so; what it leaves out may be anything. */
export interface Row extends Verdict {
  readonly status?: number | ReadonlyArray<number>
  readonly code?: string | ReadonlyArray<string>
  readonly says?: RegExp
}

/** A vendor's error codes; the first row that fits decides. */
export type VendorTable = ReadonlyArray<Row>

/**
 * What a status means where a vendor's table is silent (design.md §5, api.md 26.4). A 4xx that nobody named fails this
 * vendor only: another may take the message, and the operator should look at it.
 */
const usual: VendorTable = [
  { status: 429, kind: "RateLimited" },
  { status: [408, 500, 502, 503, 504], kind: "Unavailable" }
]

const among = <A>(given: A | ReadonlyArray<A> | undefined, found: (value: A) => boolean): boolean =>
  given === undefined || (isList(given) ? given.some(found) : found(given))

const isList = <A>(given: A | ReadonlyArray<A>): given is ReadonlyArray<A> => Array.isArray(given)

const fits = (row: Row, status: number, fault: Fault): boolean =>
  among(row.status, (value) => value === status) &&
  among(row.code, (value) => fault.codes.includes(value)) &&
  (row.says === undefined || row.says.test(fault.message))

/** The row for an answer; `undefined` where neither table nor custom knows it. */
const find = (table: VendorTable, status: number, fault: Fault): Row =>
  table.find((row) => fits(row, status, fault)) ??
    usual.find((row) => fits(row, status, fault)) ??
    { kind: status >= 500 ? "Unavailable" : "Misconfigured" }

/** The wait that an answer names, in ms; of a call that only prepares the sending one as much as of that. */
export const waitOf = ({ headers }: VendorAnswer): Effect.Effect<number | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => RetryAfter.parse(headers["retry-after"], now))

/** The error for a refusal. `retryAfter` in ms, where the vendor named a wait. */
export const errorOf = (
  table: VendorTable,
  answer: { readonly status: number; readonly fault: Fault; readonly retryAfter: number | undefined },
  detail: string
): DeliveryError => toError(find(table, answer.status, answer.fault), detail, answer.retryAfter)
