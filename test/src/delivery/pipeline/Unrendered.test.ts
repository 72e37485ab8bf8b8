import type { Element } from "#schemas/Elemental.ts"
import { blank } from "#schemas/Rendered.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** What the first of two providers cannot be given. */
const faults: Readonly<Record<string, Instructions>> = {
  content: {
    content: {
      version: "2022-01-01",
      elements: [
        { type: "text", content: "to whom it concerns" },
        { type: "text", channels: ["mail-a"], content: "no condition", if: "(" }
      ]
    }
  },
  override: {
    content: { title: "Hello", body: "World" },
    providers: { "mail-a": { override: { cc: "{{#if}}" } } }
  }
}

describe("A provider for which something cannot be rendered", () => {
  for (const [what, instructions] of Object.entries(faults)) {
    it.effect(`${what}: is not called, and leaves it to the next one to show what was sent`, () =>
      Effect.gen(function*() {
        const place = yield* EngineNode.place
        const cluster = yield* EngineNode.make(memory.node)
        const one = yield* Fake.make({ key: "mail-a", channel: "email" })
        const two = yield* Fake.make({ key: "mail-b", channel: "email" })
        const node = yield* cluster.start({ shards: [place.shard], vendors: () => [one.vendor, two.vendor] })
        const message = Fixture.message(place, {
          instructions: {
            ...instructions,
            routing: { method: "single", channels: ["email"] },
            channels: { email: { routing_method: "all", providers: ["mail-a", "mail-b"] } }
          }
        })
        yield* node.accept(message)
        yield* cluster.settle
        const log = yield* MessageLog
        const attempts = yield* log.attempts(place.scope, message.id)
        assert.deepStrictEqual(attempts.map(({ kind, provider }) => [provider, kind]), [
          ["mail-a", "ContentRejected"],
          ["mail-b", null]
        ])
        assert.deepStrictEqual([(yield* one.calls).length, (yield* two.calls).length], [0, 1])
        const rendered = (yield* log.history(place.scope, message.id)).filter(({ type }) => type === "RENDERED")
        assert.deepStrictEqual(rendered.map(({ attempt, provider }) => [attempt, provider]), [[2, "mail-b"]])
      }).pipe(Effect.scoped, Effect.provide(memory.shared)))
  }
})

describe("A chat platform for which the content comes to nothing", () => {
  it.effect("leaves it to the next one that the recipient is on", () =>
    Effect.gen(function*() {
      const place = yield* EngineNode.place
      const cluster = yield* EngineNode.make(memory.node)
      const slack = yield* Fake.make({ key: "slack", channel: "direct_message" })
      const teams = yield* Fake.make({ key: "msteams", channel: "direct_message" })
      const node = yield* cluster.start({ shards: [place.shard], vendors: () => [slack.vendor, teams.vendor] })
      const text = [{ type: "text", content: "Hi" }]
      const elements = [
        { type: "channel", channel: "slack", if: "data.urgent", elements: text },
        { type: "channel", channel: "msteams", elements: text }
      ]
      const message = Fixture.message(place, {
        instructions: { content: { elements }, routing: { method: "single", channels: ["direct_message"] } }
      })
      yield* node.accept(message)
      yield* cluster.settle
      const log = yield* MessageLog
      assert.strictEqual((yield* log.get(place.scope, message.id)).status, "SENT")
      assert.deepStrictEqual([(yield* slack.calls).length, (yield* teams.calls).length], [0, 1])
    }).pipe(Effect.scoped, Effect.provide(memory.shared)))
})

/** What became of a message with this content for SMS first and then for e-mail, which two providers have. */
const sent = Effect.fnUntraced(function*(elements: ReadonlyArray<Element>, more: Instructions = {}) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const [sms, mail] = [
    yield* Fake.make({ key: "twilio", channel: "sms" }),
    yield* Fake.make({ key: "smtp", channel: "email" })
  ]
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [sms.vendor, mail.vendor] })
  const message = Fixture.message(place, {
    instructions: {
      content: { version: "2022-01-01", elements },
      routing: { method: "single", channels: ["sms", "email"] },
      ...more
    }
  })
  yield* node.accept(message)
  yield* cluster.settle
  const log = yield* MessageLog
  return {
    attempts: (yield* log.attempts(place.scope, message.id)).map(({ error, provider }) => [provider, error]),
    texted: (yield* sms.calls).map(({ rendered }) => rendered),
    mailed: (yield* mail.calls).length,
    ...(yield* log.get(place.scope, message.id))
  }
}, Effect.scoped)

const nothing = "The content has nothing for sms"

describe("A content that comes to nothing for a channel", () => {
  const mail: Element = { type: "channel", channel: "email", elements: [{ type: "text", content: "mail" }] }
  const urgent = [
    { type: "channel", channel: "sms", if: "data.urgent", elements: [{ type: "text", content: "!" }] },
    mail
  ]

  it.effect("is not sent there: the next one has its turn", () =>
    Effect.gen(function*() {
      for (
        const empty of [urgent, [{ type: "text", content: "{{a}}" }, { type: "image", src: "https://example.com/a" }]]
      ) {
        const { attempts, mailed, texted } = yield* sent(empty)
        assert.deepStrictEqual([attempts, texted, mailed], [[["twilio", nothing], ["smtp", null]], [], 1])
      }
      assert.deepStrictEqual((yield* sent(urgent, { data: { urgent: true } })).attempts, [["twilio", null]])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("for it has nothing in it, ends unroutable and tells why", () =>
    Effect.gen(function*() {
      const { attempts, error, mailed, status, texted } = yield* sent([])
      assert.deepStrictEqual([attempts, mailed, texted, status], [[], 0, [], "UNROUTABLE"])
      assert.strictEqual(error, "The content has nothing for any channel of the message")
    }).pipe(Effect.provide(memory.shared)))

  it.effect("is no obstacle where the message's override says it all", () =>
    Effect.gen(function*() {
      const own = { providers: { smtp: { override: { html: "<p>!</p>" } } } }
      assert.deepStrictEqual((yield* sent([], own)).attempts, [["smtp", null]])
      const { attempts, texted } = yield* sent(urgent, { providers: { twilio: { override: { body: { Body: "!" } } } } })
      assert.deepStrictEqual([attempts, texted], [[["twilio", null]], [blank]])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("and for all of its channels, ends it", () =>
    Effect.gen(function*() {
      const silent: Element = { type: "channel", channel: "default", if: "false", elements: [] }
      const { attempts, mailed, status } = yield* sent([silent])
      assert.deepStrictEqual([attempts, mailed, status], [
        [["twilio", nothing], ["smtp", "The content has nothing for email"]],
        0,
        "UNDELIVERABLE"
      ])
    }).pipe(Effect.provide(memory.shared)))
})
