import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { Scope } from "#schemas/Scope.ts"
import { isNamed, type PushReceipt, type Ticket, type Vendor } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { firstAsked, type PendingTickets, PushTickets } from "#src/reports/PushTickets.ts"
import { Receipts } from "#src/reports/Receipts.ts"
import * as Outage from "#src/store/Outage.ts"
import * as Patience from "#src/store/Patience.ts"
import { Clock, Effect, Layer, Result } from "effect"

/** How often a node looks for tickets that are due. */
const sweep = "1 minute"

/** Attempts whose tickets are taken at once. */
const batch = 1_000

/** Tickets of one request: as many as Expo's own library asks about, of the 1,000 that it may. */
const mostAsked = 300

/** Requests at once. */
const together = 2

/** How long the work on one batch may take; less than `lease`. */
const patience = "2 minutes"

/** How long after the attempt its tickets are asked about last, in ms: Expo keeps receipts for 24 hours. */
const lastAsked = 23 * 3_600_000

/**
 * When tickets without a receipt at `now` (epoch ms) are asked about again: after as long as they have waited so far.
 * `undefined`: no more.
 */
const next = (sentAt: number, now: number): number | undefined => {
  const age = Math.max(now - sentAt, firstAsked)
  return age < lastAsked ? sentAt + Math.min(2 * age, lastAsked) : undefined
}

/** The attempts of one request: of one provider of an environment, with `mostAsked` tickets at most. */
const requests = (rows: ReadonlyArray<PendingTickets>): ReadonlyArray<ReadonlyArray<PendingTickets>> =>
  [...Map.groupBy(rows, ({ provider, scope }) => `${scope} ${provider}`).values()].flatMap((group) => {
    const parts: Array<Array<PendingTickets>> = []
    let asked = Infinity
    for (const row of group) {
      asked += row.tickets.length
      if (asked <= mostAsked) {
        parts.at(-1)?.push(row)
        continue
      }
      parts.push([row])
      asked = row.tickets.length
    }
    return parts
  })

type Told = ReadonlyMap<string, PushReceipt>

/** The pushes of an attempt that were not handed to their devices' platforms. */
const refusals = (tickets: ReadonlyArray<Ticket>, told: Told) =>
  tickets.flatMap((ticket) => {
    const receipt = told.get(ticket.id)
    return receipt !== undefined && Result.isFailure(receipt) ? [{ ticket, error: receipt.failure }] : []
  })

const isDead = (error: DeliveryError): boolean => error._tag === "RecipientRejected" && error.invalidates === true

/**
 * Reads push receipts: what a push service, which took a push at once, says later of handing it to the device's
 * platform. A device that is gone is sent to no more; a message none of whose pushes was handed over has bounced, as
 * after other vendors' callbacks. That it was handed over does not say that it arrived: the message stays SENT.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const pending = yield* PushTickets
  const providers = yield* Providers
  const devices = yield* DeviceTokens
  const receipts = yield* Receipts
  const patiently = yield* Patience.asking(patience)

  const find = Effect.fnUntraced(function*(scope: Scope, name: string) {
    const vendors = (yield* providers.configured(scope)).filter((one): one is Vendor =>
      one._tag === "Vendor" && one.receipts !== undefined
    )
    return (vendors.find(({ key }) => key === name) ?? vendors.find((vendor) => isNamed(vendor, name)))?.receipts
  })

  const nobody: Told = new Map()

  /** Asks about the tickets of attempts through one provider; if it cannot be asked now, none of them is told of. */
  const ask = Effect.fnUntraced(function*(rows: ReadonlyArray<PendingTickets>) {
    const [first] = rows
    const asking = first && (yield* find(first.scope, first.provider))
    if (asking === undefined) return nobody
    return yield* asking(rows.flatMap(({ tickets }) => tickets)).pipe(
      Effect.catch(({ _tag, detail }) =>
        Effect.as(
          Effect.logWarning("push receipts cannot be read", { provider: first?.provider, error: _tag, detail }),
          nobody
        )
      )
    )
  })

  /** Applies what is told of an attempt's tickets; safe to repeat. Answers what is left of them. */
  const apply = Effect.fnUntraced(function*(row: PendingTickets, told: Told) {
    const { attempt, messageId, provider, scope, sentAt, tickets } = row
    const refused = refusals(tickets, told)
    yield* Effect.forEach(
      refused.filter(({ error }) => isDead(error)),
      ({ error, ticket: { address, service } }) => devices.invalidate(scope, service, address, error.detail, sentAt),
      { discard: true }
    )
    const left = tickets.filter(({ id }) => !told.has(id))
    const reached = row.reached || refused.length < tickets.length - left.length
    const last = refused.at(-1)
    if (left.length === 0 && !reached && last !== undefined) {
      const { error: { detail }, ticket: { id } } = last
      yield* receipts.apply(scope, [provider], [
        { id, event: "Bounce", messageId, attempt, reference: id, at: undefined, detail }
      ])
    }
    return { ...row, tickets: left, reached }
  })

  /** What no other push will cure, and the operator should look at. */
  const warn = (rows: ReadonlyArray<PendingTickets>, told: Told) => {
    const refused = rows.flatMap(({ tickets }) => refusals(tickets, told))
    const fault = refused.find(({ error }) => error._tag === "Misconfigured")
    return fault === undefined ? Effect.void : Effect.logWarning("a push service could not hand pushes over", {
      provider: rows[0]?.provider,
      error: fault.error.detail
    })
  }

  const read = Effect.fnUntraced(function*(rows: ReadonlyArray<PendingTickets>) {
    const told = yield* ask(rows)
    yield* warn(rows, told)
    const now = yield* Clock.currentTimeMillis
    const left = yield* Effect.forEach(rows, (row) =>
      apply(row, told).pipe(
        // One that crashes is asked about again like the others, and not for ever.
        Effect.catchDefect((defect) => Effect.as(Effect.logError("a push receipt crashed", defect), row)),
        Effect.map((rest) => ({
          ...rest,
          dueAt: rest.tickets.length === 0 ? undefined : next(rest.sentAt, now)
        }))
      ))
    yield* pending.keep(left)
  })

  const round = Effect.gen(function*() {
    const rows = yield* pending.take(batch)
    yield* Effect.forEach(requests(rows), read, { concurrency: together, discard: true })
    return rows.length === batch
  })

  const outage = Outage.make({
    lost: (error) => Effect.logWarning("cannot read push receipts", error),
    found: Effect.logInfo("push receipts are read again")
  })
  yield* patiently(round).pipe(
    Effect.repeat({ while: (more) => more }),
    Effect.andThen(outage.found()),
    Effect.catch((error) => outage.lost(error)),
    Effect.catchDefect((defect) => Effect.logError("reading push receipts crashed", defect)),
    Effect.andThen(Effect.sleep(sweep)),
    Effect.forever,
    Effect.forkScoped
  )
}))
