import {
  ContentRejected,
  type DeliveryError,
  Misconfigured,
  RecipientRejected,
  Unavailable
} from "#schemas/DeliveryError.ts"
import type { TokenWrite } from "#schemas/DeviceToken.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { PushReceipt, Ticket, Vendor } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as PushReceipts from "#src/reports/PushReceipts.ts"
import { PushTickets } from "#src/reports/PushTickets.ts"
import * as Receipts from "#src/reports/Receipts.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, type Duration, Effect, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"

const write: TokenWrite = { provider_key: "expo", expiry_date: false }

const handed: PushReceipt = Result.succeed(undefined)
const gone: PushReceipt = Result.fail(new RecipientRejected({ detail: "not registered", invalidates: true }))
const tooBig: PushReceipt = Result.fail(new ContentRejected({ detail: "too big" }))
const noCredentials: PushReceipt = Result.fail(new Misconfigured({ detail: "InvalidCredentials" }))

/** A push service that tells what the test says, over stores in memory; `say` is empty until told. */
const start = Effect.fnUntraced(function*(options: { readonly nodes?: number } = {}) {
  const say = new Map<string, PushReceipt>()
  const asked: Array<ReadonlyArray<string>> = []
  const logs: Array<unknown> = []
  let fault: DeliveryError | undefined
  let isStoreAway = false
  const vendor: Vendor = {
    _tag: "Vendor",
    key: "phones",
    names: ["phones", "pc_1", "expo"],
    channel: "push",
    reaches: () => true,
    send: () => Effect.die("not sent here"),
    receipts: (tickets) =>
      Effect.suspend(() => {
        asked.push(tickets.map(({ id }) => id))
        if (fault !== undefined) return Effect.fail(fault)
        return Effect.succeed(
          new Map(tickets.flatMap(({ id }) => {
            const told = say.get(id)
            return told === undefined ? [] : [[id, told] as const]
          }))
        )
      })
  }
  const stores = yield* Layer.build(Layer.fresh(Stores.layer))
  const real = Context.get(stores, PushTickets)
  const pending = PushTickets.of({
    ...real,
    take: (limit) =>
      Effect.suspend(() => isStoreAway ? Effect.fail(new StoreUnavailable({ cause: "planted" })) : real.take(limit))
  })
  const place = yield* Fixture.world
  const providers = Providers.of({ configured: (scope) => Effect.succeed(scope === place.scope ? [vendor] : []) })
  yield* TestClock.setTime(place.at)
  for (let node = 0; node < (options.nodes ?? 1); node++) {
    yield* Layer.build(
      Layer.fresh(PushReceipts.layer).pipe(
        Layer.provide(Layer.fresh(Receipts.layer)),
        Layer.provide([Layer.succeed(PushTickets, pending), Layer.succeed(Providers, providers)]),
        Layer.provide(Layer.succeedContext(stores)),
        Layer.provide(Logger.layer([Logger.make(({ message }) => void logs.push(message))]))
      )
    )
  }
  const journal = Context.get(stores, Journal)
  const log = Context.get(stores, MessageLog)
  const devices = Context.get(stores, DeviceTokens)
  const { epoch } = yield* journal.take(place.shard, "node", place.at)

  /** A message that was sent to devices with these tickets; the address of each is that of its ticket. */
  const sent = Effect.fnUntraced(function*(ids: ReadonlyArray<string>, provider = "phones") {
    const message = yield* Fixture.accepted(place).pipe(Effect.provideContext(stores))
    for (const id of ids.filter((id) => id.length === 1))
      yield* devices.register(place.scope, Fixture.user, [{ token: `token ${id}`, write }])
    const tickets: ReadonlyArray<Ticket> = ids.map((id) => ({ id, service: "expo", address: `token ${id}` }))
    yield* journal.record(
      Fixture.step(message, epoch, {
        at: place.at,
        lifecycle: ["Route", "Send"],
        attempt: Fixture.attempt(1, "accepted", { channel: "push", provider, reference: ids[0] ?? null }),
        dueAt: null,
        tickets
      })
    )
    const record = log.get(place.scope, message.id)
    return {
      status: Effect.map(record, ({ error, reason, status }) => [status, reason, error]),
      lines: Effect.map(log.history(place.scope, message.id), (events) => events.slice(1)),
      attempts: log.attempts(place.scope, message.id)
    }
  })
  return {
    asked,
    devices,
    logs,
    place,
    say,
    sent,
    active: Effect.map(devices.reachable(place.scope, Fixture.user), (all) => all.map(({ token }) => token).toSorted()),
    fail: (error: DeliveryError | undefined) => Effect.sync(() => void (fault = error)),
    away: (is: boolean) => Effect.sync(() => void (isStoreAway = is)),
    pass: (time: Duration.Input) => TestClock.adjust(time)
  }
})

describe("PushReceipts", () => {
  it.effect("P6: a push that was not handed to any device's platform has bounced, with the service's words", () =>
    Effect.gen(function*() {
      const { asked, pass, say, sent } = yield* start()
      const message = yield* sent(["a"])
      say.set("a", tooBig)
      yield* pass("14 minutes")
      assert.deepStrictEqual([asked, yield* message.status], [[], ["SENT", undefined, undefined]])
      yield* pass("2 minutes")
      assert.deepStrictEqual(yield* message.status, ["UNDELIVERABLE", "BOUNCED", "too big"])
      assert.deepInclude((yield* message.lines).at(-1), {
        type: "UNDELIVERABLE",
        channel: "push",
        provider: "phones",
        attempt: 1,
        reason: "BOUNCED",
        error: "too big"
      })
      assert.deepInclude((yield* message.attempts)[0], { state: "accepted", kind: "RecipientRejected" })
      yield* pass("2 days")
      assert.deepStrictEqual(asked, [["a"]])
      assert.lengthOf((yield* message.lines).filter(({ type }) => type === "UNDELIVERABLE"), 1)
    }))

  it.effect("P6: that a push was handed over does not say that it arrived: the message stays SENT, and is asked about no more", () =>
    Effect.gen(function*() {
      const { active, asked, pass, say, sent } = yield* start()
      const message = yield* sent(["a"])
      say.set("a", handed)
      yield* pass("2 days")
      assert.deepStrictEqual(yield* message.status, ["SENT", undefined, undefined])
      assert.deepStrictEqual([asked, yield* active], [[["a"]], ["token a"]])
    }))

  it.effect("a device that is gone is sent to no more; its message is undeliverable only if no other device was reached", () =>
    Effect.gen(function*() {
      const { active, pass, say, sent } = yield* start()
      const one = yield* sent(["a", "b"])
      const none = yield* sent(["c", "d"])
      const first = yield* sent(["e", "f"])
      const both = yield* sent(["g", "h"])
      for (const id of ["a", "c", "h"]) say.set(id, gone)
      for (const id of ["e", "g"]) say.set(id, handed)
      yield* pass("16 minutes")
      assert.deepStrictEqual(yield* active, ["b", "d", "e", "f", "g"].map((id) => `token ${id}`))
      assert.deepStrictEqual([(yield* one.status)[0], (yield* none.status)[0]], ["SENT", "SENT"])
      // The others are told of later.
      say.set("b", handed)
      say.set("d", tooBig)
      say.set("f", gone)
      yield* pass("15 minutes")
      assert.deepStrictEqual(yield* active, ["b", "d", "e", "g"].map((id) => `token ${id}`))
      assert.deepStrictEqual([(yield* one.status)[0], (yield* none.status)[0]], ["SENT", "UNDELIVERABLE"])
      assert.deepStrictEqual([(yield* first.status)[0], (yield* both.status)[0]], ["SENT", "SENT"])
    }))

  it.effect("an app that has registered its device again since the push keeps it", () =>
    Effect.gen(function*() {
      const { active, devices, pass, place, say, sent } = yield* start()
      yield* sent(["a", "b"])
      for (const id of ["a", "b"]) say.set(id, gone)
      yield* pass("5 minutes")
      yield* devices.register(place.scope, Fixture.user, [{ token: "token b", write }])
      yield* pass("11 minutes")
      assert.deepStrictEqual(yield* active, ["token b"])
    }))

  it.effect("what cannot be told of yet is asked about ever more rarely, for as long as there are receipts", () =>
    Effect.gen(function*() {
      const { asked, pass, sent } = yield* start()
      const message = yield* sent(["a"])
      const times: Array<number> = []
      for (let minutes = 1; minutes <= 3 * 24 * 60; minutes++) {
        const before = asked.length
        yield* pass("1 minute")
        if (asked.length > before) times.push(minutes)
      }
      assert.deepStrictEqual(times, [15, 30, 60, 120, 240, 480, 960, 1_380])
      assert.deepStrictEqual(yield* message.status, ["SENT", undefined, undefined])
    }))

  it.effect("a service that cannot be asked, or is not configured any more, is asked later, and nothing is lost", () =>
    Effect.gen(function*() {
      const { asked, fail, logs, pass, say, sent } = yield* start()
      const message = yield* sent(["a"])
      const elsewhere = yield* sent(["b"], "other")
      say.set("a", gone)
      yield* fail(new Unavailable({ detail: "exp.host: connect" }))
      yield* pass("16 minutes")
      assert.deepStrictEqual([asked, (yield* message.status)[0]], [[["a"]], "SENT"])
      assert.include(JSON.stringify(logs), "exp.host: connect")
      yield* fail(undefined)
      yield* pass("15 minutes")
      assert.strictEqual((yield* message.status)[0], "UNDELIVERABLE")
      assert.strictEqual((yield* elsewhere.status)[0], "SENT")
      assert.notInclude(asked.flat(), "b")
    }))

  it.effect("a store that is away is asked again, and says so once", () =>
    Effect.gen(function*() {
      const { away, logs, pass, say, sent } = yield* start()
      const message = yield* sent(["a"])
      say.set("a", tooBig)
      yield* away(true)
      yield* pass("30 minutes")
      assert.strictEqual((yield* message.status)[0], "SENT")
      assert.lengthOf(logs.filter((message) => JSON.stringify(message).includes("cannot read push receipts")), 1)
      yield* away(false)
      yield* pass("1 minute")
      assert.strictEqual((yield* message.status)[0], "UNDELIVERABLE")
    }))

  it.effect("one request asks for 300 at most, and for one provider's; two nodes ask about nothing twice", () =>
    Effect.gen(function*() {
      const { asked, pass, say, sent } = yield* start({ nodes: 2 })
      const ids = Array.from({ length: 2_600 }, (_, n) => `t${n}`)
      for (const id of ids) say.set(id, handed)
      for (let n = 0; n < 2_500; n++) yield* sent([ids[n] ?? ""])
      yield* sent(ids.slice(2_500))
      yield* pass("15 minutes")
      assert.isTrue(asked.every((one) => one.length <= 300))
      assert.deepStrictEqual(asked.flat().toSorted(), ids.toSorted())
    }))

  it.effect("the operator is told of credentials that the platform refuses", () =>
    Effect.gen(function*() {
      const { logs, pass, say, sent } = yield* start()
      const message = yield* sent(["a"])
      say.set("a", noCredentials)
      yield* pass("16 minutes")
      assert.strictEqual((yield* message.status)[0], "UNDELIVERABLE")
      assert.include(JSON.stringify(logs), "InvalidCredentials")
      assert.notInclude(JSON.stringify(logs), "token a")
    }))
})
