import { configure, type Row, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { vendor as smtp } from "#test/layers/providers/smtp/Deliveries.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"

/** The vendor as its row configures it; it is not called. */
const vendorOf = (row: Row) => configure(row, settingsAt(row, "http://127.0.0.1:1")).pipe(withHttp(1_000))

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

describe("An account of the recipient's or the message's own", () => {
  it.effect("at every vendor, credentials of a message are told apart from the configuration's, and from others", () =>
    Effect.gen(function*() {
      for (const row of Rows.all) {
        const { serverOf } = yield* vendorOf(row)
        const of = (config: Schema.JsonObject) => serverOf?.({}, { config })
        const names = Object.keys(row.settings).filter((name) => !name.startsWith("from"))
        for (const name of ["api_key", ...names]) {
          const [one, other] = [of({ [name]: "sesame-1" }), of({ [name]: "sesame-2" })]
          assert.isDefined(one, `${row.entry.key} ${name}`)
          assert.notStrictEqual(one, other)
          assert.notInclude(one, "sesame", "P9")
          assert.strictEqual(of({ [camel(name)]: "sesame-1" }), one)
        }
        assert.strictEqual(of({ a: "1", b: "2" }), of({ b: "2", a: "1" }))
      }
    }))

  it.effect("at every vendor, a message without any goes by the configuration's account, whatever sender it names", () =>
    Effect.gen(function*() {
      for (const row of Rows.all) {
        const { serverOf } = yield* vendorOf(row)
        for (const config of [{}, null, { from: "a@b.example" }, { fromAddress: "a@b.example" }])
          assert.isUndefined(serverOf?.({ email: "ann@example.com" }, { config }), row.entry.key)
        assert.isUndefined(serverOf?.({}, { from: "a@b.example", body: { a: 1 } }), row.entry.key)
      }
    }))

  it.effect("at Slack, a workspace's own token is told apart from the configuration's, and from another's", () =>
    Effect.gen(function*() {
      const { serverOf } = yield* vendorOf(Chat.slack)
      const of = (slack: Schema.JsonObject, override: Schema.JsonObject = {}) =>
        serverOf?.({ slack: { channel: "C1", ...slack } }, override)
      assert.isUndefined(of({}))
      assert.isUndefined(of({ access_token: null }))
      const [one, other] = [of({ access_token: "xoxb-one" }), of({ access_token: "xoxb-other" })]
      assert.isDefined(one)
      assert.notStrictEqual(one, other)
      assert.notInclude(one, "xoxb", "P9")
      assert.notStrictEqual(of({ access_token: "xoxb-one" }, { config: { access_token: "xoxb-mine" } }), undefined)
    }))

  it.live("at a mail server, each login is told apart, and each server by name and port", () =>
    Effect.gen(function*() {
      const { serverOf } = yield* smtp(2525, { username: "us", password: "sesame" })
      const of = (config: Schema.Json) => serverOf?.({}, { config })
      const login = (user: string, pass: string) => of({ auth: { user, pass } })
      const own: ReadonlyArray<Schema.Json> = [
        null,
        {},
        { port: "2525" },
        { host: "127.0.0.1", port: 2525, secure: false },
        { auth: { user: "us", pass: "sesame" } },
        { host: "no host" }
      ]
      for (const config of own) assert.isUndefined(of(config), JSON.stringify(config))
      const others = [
        login("us", "other"),
        login("them", "sesame"),
        of({ port: 25 }),
        of({ host: "mail.example" }),
        of({ host: "mail.example", port: 25 }),
        of({ host: "mail.example", auth: { user: "us", pass: "sesame" } })
      ]
      assert.notInclude(others, undefined)
      assert.strictEqual(new Set(others).size, others.length)
      assert.strictEqual(of({ host: "MAIL.example" }), of({ host: "mail.example" }))
      assert.notInclude(others.join(), "sesame", "P9")
    }))
})
