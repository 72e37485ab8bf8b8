import type { Listed } from "#layers/providers/Catalogue.ts"
import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import type { DeliveryError, Kind } from "#schemas/DeliveryError.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Acceptance, Delivery } from "#src/delivery/Provider.ts"
import { allow } from "#test/layers/outbound/Call.ts"
import * as LongTimers from "#test/support/LongTimers.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { Deferred, Effect, Fiber, Result, type Schema } from "effect"

/** A refusal as the vendor words it, and what it must become. */
export interface Refusal {
  readonly name: string
  readonly answer: ScriptedVendor.Answer
  readonly kind: Kind
  readonly invalidates?: boolean
  /** What our account may send in a day is sent. */
  readonly usedUp?: boolean
}

/** What a vendor has to show to be in the catalogue. */
export interface Row {
  readonly entry: Listed
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

export const messageId = MessageId.make("1-67890abc-0123456789abcdef01234567")

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

interface Options {
  /** The answer does not end: the deadline passes when it has begun not to. */
  readonly endless?: boolean
  readonly more?: Partial<Delivery>
}

/** Provides the way to the vendors for as long as the scope lasts. */
export const withHttp = (deadlineMs: number) =>
  Effect.provideServiceEffect(VendorHttp.VendorHttp, VendorHttp.make({ deadlineMs, allow }))

/** The vendor with these settings, for as long as the scope lasts. */
export const configure = ({ entry }: Pick<Row, "entry">, settings: Schema.JsonObject) =>
  Effect.flatMap(
    Effect.context<VendorHttp.VendorHttp>(),
    (context) => Effect.flatten(entry.catalogued(context).vendor(settings))
  )

export const settingsAt = (row: Row, base: string): Schema.JsonObject => ({
  ...Object.fromEntries(
    Object.entries(row.settings).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace("{origin}", base) : value
    ])
  ),
  base_url: base
})

/** The script of a vendor that takes what comes before the call that sends, and gives that one this reply. */
export const replying = (row: Row, reply: ScriptedVendor.Reply = row.success) => ({ path }: ScriptedVendor.Seen) =>
  row.before?.[path.split("?")[0] ?? ""] ?? reply

/** The vendor as its row configures it, and the server that plays it on loopback. */
export const play = Effect.fnUntraced(
  function*(row: Row, script: (seen: ScriptedVendor.Seen) => ScriptedVendor.Reply, deadlineMs = 10_000) {
    const server = yield* ScriptedVendor.listen({ http2: row.http2 === true, script })
    const vendor = yield* configure(row, settingsAt(row, server.origin)).pipe(withHttp(deadlineMs))
    return { server, vendor }
  }
)

/** Sends one delivery over the vendor as configured, to a server that answers as scripted. */
export const send = Effect.fnUntraced(
  function*(row: Row, reply: ScriptedVendor.Reply, { endless = false, more }: Options = {}) {
    const { server, vendor } = yield* play(row, replying(row, reply), endless ? LongTimers.long : 10_000)
    const sending = Effect.result(vendor.send(delivery(row, more)))
    if (!endless) return { result: yield* sending, seen: server.seen }
    const { pass } = yield* LongTimers.held
    const sent = yield* Effect.forkChild(sending)
    yield* Deferred.await(server.stalled)
    yield* pass
    return { result: yield* Fiber.join(sent), seen: server.seen }
  },
  Effect.scoped
)

/** Sends one delivery to the vendor at `base`. */
export const sendTo = Effect.fnUntraced(
  function*(row: Row, base: string) {
    const vendor = yield* configure(row, settingsAt(row, base)).pipe(withHttp(10_000))
    return yield* Effect.result(vendor.send(delivery(row)))
  },
  Effect.scoped
)

export const outcomeOf = (result: Result.Result<Acceptance, DeliveryError>): Outcome =>
  Result.isSuccess(result) ? "Accepted" : result.failure._tag
