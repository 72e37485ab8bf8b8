import * as Webhook from "#layers/providers/Webhook.ts"
import { Unavailable } from "#schemas/DeliveryError.ts"
import { isObject } from "#schemas/Json.ts"
import type { JsonMap } from "#schemas/Optional.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Outbound, OutboundNotSent } from "#src/delivery/Outbound.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as Smtp from "#test/layers/providers/smtp/Deliveries.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

const dead = "https://dead.example/hook"
const well = "https://well.example/hook"

/** A node with one vendor, to which messages to many recipients are sent. */
const started = Effect.fnUntraced(function*(vendor: Vendor) {
  const place = yield* EngineNode.place
  const { at } = place
  const cluster = yield* EngineNode.make(memory.node)
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [vendor] })
  const send = Effect.fnUntraced(function*(
    recipient: Recipient,
    override: JsonMap = {},
    { scope }: Pick<NewMessage, "scope"> = place
  ) {
    const id = Fixture.id(at)
    const recipientKey = `${scope}:${vendor.channel}:${id}`
    const instructions = {
      content: { title: "Hello", body: "World" },
      channels: { [vendor.channel]: { override } }
    }
    yield* node.accept(Fixture.message(place, { id, requestId: id, scope, recipientKey, recipient, instructions }))
    return id
  })
  const until = Effect.fnUntraced(function*(end: number) {
    for (let now = yield* Clock.currentTimeMillis; now < end; now = yield* Clock.currentTimeMillis) {
      yield* cluster.settle
      yield* TestClock.setTime(now + 500)
    }
    yield* cluster.settle
  })
  const statusOf = (id: NewMessage["id"], { scope }: Pick<NewMessage, "scope"> = place) =>
    MessageLog.use((log) => log.get(scope, id)).pipe(Effect.map(({ status }) => status))
  return { at, send, until, statusOf }
})

describe("The circuits of webhooks", () => {
  it.effect("one recipient's dead endpoint holds up nobody else's, and is itself left alone", () =>
    Effect.gen(function*() {
      const called: Array<string> = []
      const webhook = yield* Webhook.make.pipe(Effect.provideService(Outbound, {
        request: ({ url }) => {
          called.push(url)
          return url === dead
            ? new OutboundNotSent({ stage: "connect", detail: "dead.example: ECONNREFUSED" })
            : Effect.succeed({ status: 200, headers: {}, body: "", truncated: false })
        }
      }))
      const { at, send, statusOf, until } = yield* started(webhook)
      for (let n = 0; n < 8; n++) yield* send({ webhook: { url: dead } })
      yield* until(at + 20_000)
      const tries = called.length
      assert.isAtMost(tries, 8 + 5, "the circuit of the dead one is open")
      const others = [
        yield* send({ webhook: { url: well } }),
        yield* send({ webhook: { url: "https://well.example/another" } }),
        yield* send({ webhook: { url: dead } }, { url: well })
      ]
      yield* until(at + 21_000)
      for (const id of others) assert.strictEqual(yield* statusOf(id), "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})

/** Mail over SMTP, of which these servers are down and these users shut out. The operator's is `127.0.0.1`. */
const mailing = Effect.fnUntraced(function*(
  down: ReadonlyArray<string>,
  versions = ["first"],
  shutOut: ReadonlyArray<string> = []
) {
  const called: Array<string> = []
  const mail: Vendor = {
    ...yield* Smtp.vendor(25),
    get version() {
      return versions.at(-1)
    },
    send: ({ override: { config } }) => {
      const host = isObject(config) && typeof config["host"] === "string" ? config["host"] : "127.0.0.1"
      const auth = isObject(config) && isObject(config["auth"]) ? config["auth"] : {}
      called.push(host)
      return down.includes(host) || shutOut.includes(String(auth["user"]))
        ? new Unavailable({ detail: "ECONNREFUSED" })
        : Effect.succeed({ reference: undefined })
    }
  }
  return { called, ...yield* started(mail) }
})

describe("The circuits of mail servers", () => {
  const ada = { email: "ada@example.com" }
  const named = { config: { host: "mail.example" } }
  const login = { config: { auth: { user: "u", pass: "p" } } }

  it.effect("a dead server that messages name is left alone, and holds up nobody who uses the operator's or another", () =>
    Effect.gen(function*() {
      const { at, called, send, statusOf, until } = yield* mailing(["mail.example"])
      for (let n = 0; n < 8; n++) yield* send(ada, named)
      yield* until(at + 20_000)
      assert.isAtMost(called.length, 8 + 5, "the circuit of the dead one is open")
      const others = [
        yield* send(ada),
        yield* send(ada, login),
        yield* send(ada, { config: { host: "127.0.0.1", port: 25 } }),
        yield* send(ada, { config: { host: "other.example" } })
      ]
      yield* until(at + 21_000)
      for (const id of others) assert.strictEqual(yield* statusOf(id), "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("the operator's dead server holds up all who use it, and nobody who names another", () =>
    Effect.gen(function*() {
      const { at, called, send, statusOf, until } = yield* mailing(["127.0.0.1"])
      for (let n = 0; n < 8; n++) yield* send(ada, n % 2 === 0 ? {} : { config: { port: 25 } })
      yield* until(at + 20_000)
      assert.isAtMost(called.length, 8 + 5)
      const tries = called.length
      const [other, own] = [yield* send(ada, named), yield* send(ada)]
      yield* until(at + 21_000)
      assert.strictEqual(yield* statusOf(other), "SENT")
      assert.notStrictEqual(yield* statusOf(own), "SENT")
      assert.strictEqual(called.length, tries + 1)
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("a login that the operator's server refuses to serve now holds up nobody who uses another", () =>
    Effect.gen(function*() {
      const { at, called, send, statusOf, until } = yield* mailing([], ["first"], ["u"])
      for (let n = 0; n < 8; n++) yield* send(ada, login)
      yield* until(at + 20_000)
      assert.isAtMost(called.length, 8 + 5)
      const others = [yield* send(ada), yield* send(ada, { config: { auth: { user: "v", pass: "p" } } })]
      yield* until(at + 21_000)
      for (const id of others) assert.strictEqual(yield* statusOf(id), "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("P10: one environment's dead server holds up no other environment's, though it is called alike", () =>
    Effect.gen(function*() {
      const down = ["127.0.0.1"]
      const { at, send, statusOf, until } = yield* mailing(down)
      for (let n = 0; n < 8; n++) yield* send(ada)
      yield* until(at + 20_000)
      down.pop()
      const elsewhere = yield* Fixture.world
      const [own, other] = [yield* send(ada), yield* send(ada, {}, elsewhere)]
      yield* until(at + 21_000)
      assert.notStrictEqual(yield* statusOf(own), "SENT")
      assert.strictEqual(yield* statusOf(other, elsewhere), "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))

  it.effect("a configuration that was changed is called again at once: its old settings may have been the trouble", () =>
    Effect.gen(function*() {
      const versions = ["first"]
      const down = ["127.0.0.1"]
      const { at, send, statusOf, until } = yield* mailing(down, versions)
      for (let n = 0; n < 8; n++) yield* send(ada)
      yield* until(at + 20_000)
      down.pop()
      versions.push("second")
      const id = yield* send(ada)
      yield* until(at + 21_000)
      assert.strictEqual(yield* statusOf(id), "SENT")
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})
