import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { PushReceipt, Ticket } from "#src/delivery/Provider.ts"
import { delivery, play, replying } from "#test/contracts/VendorRow.ts"
import { expo, firebaseFcm } from "#test/layers/providers/rows/Push.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import type * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const tokenOf = (id: string) => `ExponentPushToken[${id}]`
const ticket = (id: string): Ticket => ({ id, service: "expo", address: tokenOf(id) })

/** Expo on loopback: a ticket for each push, named after its token, and these receipts. */
const start = Effect.fnUntraced(function*(receipts: ScriptedVendor.Reply = json(200, { data: {} })) {
  const { server, vendor } = yield* play(expo, ({ body, path }) => {
    if (path.endsWith("/getReceipts")) return receipts
    const { to }: { readonly to: string } = JSON.parse(body === "" ? "{\"to\":\"[x]\"}" : body)
    const id = to.slice(to.indexOf("[") + 1, -1)
    return id === "dead"
      ? json(200, { data: { status: "error", message: "gone", details: { error: "DeviceNotRegistered" } } })
      : json(200, { data: { status: "ok", id } })
  })
  const { receipts: ask = () => Effect.die("it gives no tickets") } = vendor
  return {
    server,
    ask: (...ids: ReadonlyArray<string>) => ask(ids.map(ticket)),
    send: (tokens: ReadonlyArray<string>, override = {}) =>
      vendor.send(delivery({ ...expo, override, profile: { expo: { tokens: tokens.map(tokenOf) } } }))
  }
})

const shown = (told: ReadonlyMap<string, PushReceipt>) =>
  Object.fromEntries(
    [...told].map(([id, receipt]) => [
      id,
      Result.isSuccess(receipt)
        ? "handed over"
        : [
          receipt.failure._tag,
          "invalidates" in receipt.failure && receipt.failure.invalidates,
          receipt.failure.detail
        ]
    ])
  )

describe("Expo's push receipts", () => {
  it.effect("each device that took the push gives a ticket, which names the device", () =>
    Effect.gen(function*() {
      const { send } = yield* start()
      assert.deepStrictEqual(yield* send(["a"]), { reference: "a", tickets: [ticket("a")] })
      const { reference, tickets = [] } = yield* send(["dead", "b", "c"])
      assert.include(["b", "c"], reference)
      assert.sameDeepMembers([...tickets], [ticket("b"), ticket("c")])
    }).pipe(Effect.scoped))

  it.effect("a push over a message's own account gives none: nobody could ask about it later", () =>
    Effect.gen(function*() {
      const { send } = yield* start()
      assert.deepStrictEqual(yield* send(["a"], { config: { access_token: "another" } }), { reference: "a" })
    }).pipe(Effect.scoped))

  it.effect("another vendor's push gives none", () =>
    Effect.gen(function*() {
      const { vendor } = yield* play(firebaseFcm, replying(firebaseFcm))
      assert.deepStrictEqual(yield* vendor.send(delivery(firebaseFcm)), { reference: firebaseFcm.reference })
      assert.isUndefined(vendor.receipts)
    }).pipe(Effect.scoped))

  it.effect("are asked for as documented, with the account's own access token", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* start()
      yield* ask("a", "b")
      const [seen] = server.seen
      assert.deepInclude(seen, { method: "POST", path: "/--/api/v2/push/getReceipts" })
      assert.deepInclude(seen?.headers, { authorization: "Bearer expo-token", "content-type": "application/json" })
      assert.deepStrictEqual(JSON.parse(seen?.body ?? ""), { ids: ["a", "b"] })
    }).pipe(Effect.scoped))

  it.effect("tell what became of each, in no words that name the device; of what is not there they tell nothing", () =>
    Effect.gen(function*() {
      const fault = (error: string, message: string) => ({ status: "error", message, details: { error, sentAt: 1 } })
      const { ask } = yield* start(json(200, {
        data: {
          ok: { status: "ok" },
          gone: fault("DeviceNotRegistered", `"${tokenOf("gone")}" is not registered`),
          big: fault("MessageTooBig", "too big"),
          often: fault("MessageRateExceeded", "slowly"),
          keys: fault("InvalidCredentials", "no key"),
          bare: { status: "error" },
          odd: { status: "error", message: 7, details: "x" },
          none: { status: "perhaps" },
          never: { status: "ok" },
          null: null
        }
      }))
      const told = yield* ask(
        "ok",
        "gone",
        "big",
        "often",
        "keys",
        "bare",
        "odd",
        "none",
        "null",
        "missing",
        "__proto__"
      )
      assert.deepStrictEqual(shown(told), {
        ok: "handed over",
        gone: ["RecipientRejected", true, "Expo answered 200 (DeviceNotRegistered): \"<address>\" is not registered"],
        big: ["ContentRejected", false, "Expo answered 200 (MessageTooBig): too big"],
        often: ["RateLimited", false, "Expo answered 200 (MessageRateExceeded): slowly"],
        keys: ["Misconfigured", false, "Expo answered 200 (InvalidCredentials): no key"],
        bare: ["Misconfigured", false, "Expo answered 200 (receipt)"],
        odd: ["Misconfigured", false, "Expo answered 200 (receipt)"]
      })
    }).pipe(Effect.scoped))

  it.effect("an answer that is none, or is a refusal, tells of nothing and is an error", () =>
    Effect.gen(function*() {
      const refused = json(429, { errors: [{ code: "TOO_MANY_REQUESTS", message: "slow down" }] })
      const answers: ReadonlyArray<readonly [ScriptedVendor.Reply, DeliveryError["_tag"]]> = [
        [refused, "RateLimited"],
        [json(400, { errors: [{ code: "UNAUTHORIZED", message: "no" }] }), "Misconfigured"],
        [{ status: 503 }, "Unavailable"],
        [json(200, { data: [] }), "Misconfigured"],
        [json(200, {}), "Misconfigured"],
        [{ status: 200, body: "<html>" }, "Misconfigured"],
        [{ cut: "{\"data\":{" }, "Misconfigured"],
        [{ reset: "after" }, "Unavailable"]
      ]
      for (const [answer, expected] of answers) {
        const { ask } = yield* start(answer)
        const error = yield* Effect.flip(ask("a"))
        assert.strictEqual(error._tag, expected, JSON.stringify(answer))
      }
    }).pipe(Effect.scoped))
})
