import { toError, type Verdict } from "#layers/providers/Verdict.ts"
import type { VendorAnswer } from "#layers/providers/VendorHttp.ts"
import type { DeliveryError } from "#schemas/DeliveryError.ts"
import * as RetryAfter from "#src/delivery/attempts/RetryAfter.ts"
import { Clock, Effect } from "effect"

/** What a vendor says about a refusal: its codes, the most specific first, and its message. */
export interface Fault {
  readonly codes: ReadonlyArray<string>
  readonly message: string
}

/** One row of a vendor's error table. All conditions given must hold; those left out always do. */
export interface Row extends Verdict {
  readonly status?: number | ReadonlyArray<number>
  readonly code?: string | ReadonlyArray<string>
  readonly says?: RegExp
}

/** A vendor's error codes; the first row that fits decides. */
export type VendorTable = ReadonlyArray<Row>

/**
 * What a status means if the vendor's table has no row for it (design.md §5, api.md 26.4). Any other 4xx fails this
 * vendor only: another may take the message, and the operator should look at it.
 */
const usual: VendorTable = [
  { status: 429, kind: "RateLimited" },
  { status: 408, kind: "Unavailable" }
]

const among = <A>(given: A | ReadonlyArray<A> | undefined, found: (value: A) => boolean): boolean =>
  given === undefined || (isList(given) ? given.some(found) : found(given))

const isList = <A>(given: A | ReadonlyArray<A>): given is ReadonlyArray<A> => Array.isArray(given)

const fits = (row: Row, status: number, fault: Fault): boolean =>
  among(row.status, (value) => value === status) &&
  among(row.code, (value) => fault.codes.includes(value)) &&
  (row.says === undefined || row.says.test(fault.message))

/**
 * The row for an answer: the vendor's, else the usual one. Without either, a 5xx is `Unavailable` and anything else
 * `Misconfigured`.
 */
const find = (table: VendorTable, status: number, fault: Fault): Row =>
  table.find((row) => fits(row, status, fault)) ??
    usual.find((row) => fits(row, status, fault)) ??
    { kind: status >= 500 ? "Unavailable" : "Misconfigured" }

/** The wait that an answer names, in ms. An answer to a preparing call counts as much as one to the send. */
export const waitOf = ({ headers }: VendorAnswer): Effect.Effect<number | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => RetryAfter.parse(headers["retry-after"], now))

/** The error for a refusal. `retryAfter` in ms, if the vendor named a wait. */
export const errorOf = (
  table: VendorTable,
  answer: { readonly status: number; readonly fault: Fault; readonly retryAfter: number | undefined },
  detail: string
): DeliveryError => toError(find(table, answer.status, answer.fault), detail, answer.retryAfter)
