import type { JsonMap } from "#schemas/Optional.ts"
import { blank } from "#schemas/Rendered.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import * as Override from "#src/delivery/attempts/Override.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { memory } from "#test/crash/EngineStores.ts"
import * as EngineNode from "#test/support/EngineNode.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const vendor: Vendor = {
  _tag: "Vendor",
  key: "sendgrid",
  names: ["us", "pc_1", "sendgrid"],
  channel: "email",
  reaches: () => true,
  send: () => Effect.succeed({ reference: undefined })
}

const Words = Schema.optionalKey(Schema.Literals(["one", "two"]))

const inbox = { _tag: "Inbox", key: "inbox", channel: "inbox", reaches: () => true } as const

/** What the provider was given of a message with these instructions, and what became of it. */
const sent = Effect.fnUntraced(function*(more: Instructions) {
  const place = yield* EngineNode.place
  const cluster = yield* EngineNode.make(memory.node)
  const provider = yield* Fake.make({ key: "mail", channel: "email" })
  const node = yield* cluster.start({ shards: [place.shard], vendors: () => [provider.vendor] })
  const id = Fixture.id(place.at)
  const instructions = { content: { title: "t", body: "b" }, ...more }
  yield* node.accept(
    Fixture.message(place, { id, requestId: id, recipient: { email: "ada@example.com" }, instructions })
  )
  yield* cluster.settle
  const { error, status } = yield* (yield* MessageLog).get(place.scope, id)
  const overrides = (yield* provider.calls).map(({ override }) => override)
  return { status, error, overrides }
}, Effect.scoped)

describe("Overrides (api.md §3)", () => {
  it("the channel's is under the provider's, the place's in the routing over both: objects deeply, arrays replaced", () => {
    const channels = { email: { override: { subject: "c", body: { asm: { group_id: 1 }, categories: ["c", "d"] } } } }
    const providers = { us: { override: { body: { asm: { groups_to_display: [2] }, categories: ["p"] } } } }
    assert.deepStrictEqual(Override.of({ channels, providers }, { channel: "email" }, vendor), {
      subject: "c",
      body: { asm: { group_id: 1, groups_to_display: [2] }, categories: ["p"] }
    })
    assert.deepStrictEqual(
      Override.of({ channels, providers }, { channel: "email", override: { body: { asm: { group_id: 3 } } } }, vendor),
      { subject: "c", body: { asm: { group_id: 3, groups_to_display: [2] }, categories: ["p"] } }
    )
  })

  it("says enough for a message without content where its vendor says something, not by its options", () => {
    const says = (override: JsonMap, of: Partial<Vendor> = {}) => Override.says(override, { ...vendor, ...of })
    const push = { channel: "push", says: ["body.title", "body.aps.alert"] }
    for (const path of [{ body: { title: "t" } }, { body: { aps: { alert: {} } } }]) assert.isTrue(says(path, push))
    for (
      const options of [
        {},
        { title: "t" },
        { subject: "s" },
        { body: { sound: "default", title: null } },
        { body: { aps: 1 } }
      ]
    ) assert.isFalse(says(options, push), JSON.stringify(options))
    for (const mail of [{ subject: "s" }, { html: "h" }, { text: "t" }, { body: { attachments: [] } }]) {
      assert.isTrue(says(mail, { says: [] }))
    }
    assert.isFalse(says({ cc: "a@example.com", body: { a: 1 } }, { says: [] }))
    assert.isTrue(says({ body: {} }), "of a vendor that does not tell, anything in its body")
    const inApp = (override: JsonMap) => Override.says(override, inbox)
    for (const item of [{ title: "t" }, { body: "b" }]) assert.isTrue(inApp(item))
    for (const nothing of [{ body: { title: "t" } }, { title: "" }, { actions: [] }]) assert.isFalse(inApp(nothing))
  })

  it("what is not there, or null, changes nothing", () => {
    assert.deepStrictEqual(Override.of({}, { channel: "email" }, vendor), {})
    const channels = { email: { override: null }, sms: { override: { body: "sms" } } }
    assert.deepStrictEqual(
      Override.of({ channels, providers: { sendgrid: { override: { a: 1 } } } }, { channel: "email" }, vendor),
      { a: 1 }
    )
  })

  it("a mail is shown as its own override has it, whatever the others of its fan-out say; no other channel is", () => {
    const rendered = Fixture.rendered("shared")
    const shown = (override: JsonMap, channel = "email") => Override.shown(channel, rendered, override)
    const overrides = [{ subject: "one" }, { subject: "two" }, { text: "two" }, { subject: "one", html: "" }]
    for (const override of [...overrides, ...overrides.toReversed()]) {
      assert.deepStrictEqual(shown(override), { ...rendered, ...override })
      assert.strictEqual(shown(override), shown({ ...override, body: { text: "no" }, cc: "x@example.com" }))
      assert.strictEqual(shown(override, "push"), rendered)
    }
    assert.strictEqual(shown({ subject: null, text: 5, from: "x@example.com" }), rendered)
  })

  it("an in-app message is shown as its own override has it, and its actions lead nowhere that content's may not", () => {
    const rendered = { ...Fixture.rendered("shared"), text: "t" }
    const action = { content: "Accept", href: "acme://friends/accept/1" }
    const shown = (override: JsonMap) => Override.shown("inbox", rendered, override)
    assert.deepStrictEqual(shown({ title: "T", body: "B", actions: [{ ...action, style: "primary" }] }), {
      ...rendered,
      title: "T",
      body: "B",
      text: "B",
      actions: [action]
    })
    assert.deepStrictEqual(shown({ actions: [{ ...action, href: "javascript:alert(1)" }] }).actions, [])
    for (const other of [{ title: 5, body: { title: "t" }, actions: "a" }, { subject: "s", html: "h" }, {}])
      assert.strictEqual(shown(other), rendered)
    const shared = { title: "T", actions: [action] }
    assert.strictEqual(shown(shared), shown({ ...shared }), "one object for a fan-out's messages")
  })

  it.prop(
    "P10: none is shown another's words, though all messages without content share a rendering",
    {
      shows: Schema.Array(Schema.Struct({
        channel: Schema.Literals(["email", "inbox"]),
        override: Schema.Struct({ subject: Words, text: Words, html: Words, title: Words, body: Words })
      })).check(Schema.isMinLength(8))
    },
    ({ shows }) => {
      const shared = { ...blank }
      for (const { channel, override } of shows) {
        assert.deepStrictEqual(
          Override.shown(channel, shared, override),
          Override.shown(channel, { ...shared }, override)
        )
      }
    }
  )

  it.effect("a provider is given all three, and addresses with their variables", () =>
    Effect.gen(function*() {
      const { overrides, status } = yield* sent({
        data: { boss: "bob@example.com" },
        channels: { email: { override: { cc: ["{{boss}}"], body: { a: { c: 1 } } } } },
        providers: { mail: { override: { reply_to: "{{profile.email}}", body: { a: { p: 2 } } } } },
        routing: { method: "single", channels: [{ provider: "mail", override: { body: { a: { r: 3 } } } }] }
      })
      assert.strictEqual(status, "SENT")
      assert.deepStrictEqual(overrides, [
        { cc: ["bob@example.com"], reply_to: "ada@example.com", body: { a: { c: 1, p: 2, r: 3 } } }
      ])
    }).pipe(Effect.provide(memory.shared)))

  it.effect("addresses that cannot be filled in end the message, and no provider is called", () =>
    Effect.gen(function*() {
      const { overrides, status } = yield* sent({ channels: { email: { override: { bcc: "{{#if}}" } } } })
      assert.deepStrictEqual([status, overrides], ["UNDELIVERABLE", []])
    }).pipe(Effect.provide(memory.shared)))
})
