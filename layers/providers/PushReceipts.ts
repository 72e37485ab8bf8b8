import { told } from "#layers/providers/Told.ts"
import type { VendorAnswer, VendorHttp, VendorRequest } from "#layers/providers/VendorHttp.ts"
import { errorOf, type Fault, type VendorTable, waitOf } from "#layers/providers/VendorTable.ts"
import type { Acceptance, PushReceipt, Ticket, Vendor } from "#src/delivery/Provider.ts"
import { Effect, Result } from "effect"

/** How a push service is asked what became of pushes. */
export interface Asking<Settings> {
  readonly request: (settings: Settings, ids: ReadonlyArray<string>) => VendorRequest
  /**
   * Reads a 2xx: by the tickets' ids, what went wrong; without a code, nothing did. `undefined`: it cannot be read.
   */
  readonly read: (answer: VendorAnswer) => ReadonlyMap<string, Fault> | undefined
}

interface Service<Settings> {
  readonly key: string
  readonly name: string
  readonly receipts: Asking<Settings>
  readonly fault: (answer: VendorAnswer) => Fault
  readonly table: VendorTable
}

/** What a service took, with its ticket for this device. */
export const withTicket = (service: string, address: unknown, taken: Acceptance): Acceptance =>
  taken.reference === undefined || typeof address !== "string"
    ? taken
    : { ...taken, tickets: [{ id: taken.reference, service, address }] }

/** `Vendor.receipts` of a push service with these settings. */
export const of = <Settings>(
  { fault, name, receipts, table }: Service<Settings>,
  settings: Settings,
  http: VendorHttp["Service"]
): NonNullable<Vendor["receipts"]> => {
  const judged = ({ address }: Ticket, found: Fault): PushReceipt => {
    if (found.codes.length === 0) return Result.succeed(undefined)
    const detail = told(name, 200, found, address)
    return Result.fail(errorOf(table, { status: 200, fault: found, retryAfter: undefined }, detail))
  }

  return Effect.fnUntraced(function*(tickets) {
    const line = yield* http.line
    const answer = yield* line.prepare(receipts.request(settings, tickets.map(({ id }) => id)))
    const { status } = answer
    const found = status >= 200 && status < 300 ? receipts.read(answer) : undefined
    if (found === undefined) {
      const refusal = fault(answer)
      const wait = yield* waitOf(answer)
      return yield* errorOf(table, { status, fault: refusal, retryAfter: wait }, told(name, status, refusal, undefined))
    }
    return new Map(tickets.flatMap((ticket) => {
      const one = found.get(ticket.id)
      return one === undefined ? [] : [[ticket.id, judged(ticket, one)] as const]
    }))
  })
}
