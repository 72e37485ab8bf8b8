import { rendered, type Row, send } from "#test/contracts/VendorRow.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const nothing = { ...rendered, title: "", body: "", text: "" }
const decode = Schema.decodeSync(Schema.fromJsonString(Schema.Json))

const sent = (row: Row, body: Schema.JsonObject, said = nothing) =>
  Effect.map(send(row, row.success, { more: { rendered: said, override: { body } } }), ({ seen }) => {
    const { body: text = "", headers } = seen.at(-1) ?? assert.fail("nothing was sent")
    return { headers, body: decode(text) }
  })

describe("A push that only wakes the app", () => {
  it.live("is of the type `background` and not urgent for Apple; one that is heard is an alert", () =>
    Effect.gen(function*() {
      const aps = { "content-available": 1 }
      const silent = yield* sent(Push.apn, { aps, order: "42" })
      assert.deepStrictEqual(silent.body, { aps, order: "42" })
      assert.deepInclude(silent.headers, { "apns-push-type": "background", "apns-priority": "5" })
      const unsaid = yield* sent(Push.apn, { aps: { ...aps, alert: null } }, rendered)
      assert.deepInclude(unsaid.headers, { "apns-push-type": "background", "apns-priority": "5" })
      for (const body of [{ aps: { ...aps, sound: "default" } }, { aps: { ...aps, alert: "Hi" } }]) {
        const heard = yield* sent(Push.apn, body)
        assert.deepInclude(heard.headers, { "apns-push-type": "alert", "apns-priority": "10" })
      }
    }))

  it.live("has no notification for Google, of which a tag alone would make one", () =>
    Effect.gen(function*() {
      const shownBy = (body: Schema.JsonObject, said = nothing) =>
        Effect.map(sent(Push.firebaseFcm, body, said), ({ body }) => {
          const { android, notification } = Object(Object(body).message)
          return [notification ?? undefined, android?.notification?.tag !== undefined]
        })
      const data = { order: "42" }
      assert.deepStrictEqual(yield* shownBy({ data }), [undefined, false])
      assert.deepStrictEqual(yield* shownBy({ data, notification: null }, rendered), [undefined, false])
      assert.deepStrictEqual(yield* shownBy({ notification: { title: "Hi" } }), [{ title: "Hi" }, true])
      assert.deepStrictEqual(yield* shownBy({ android: { notification: { title: "Hi" } } }), [undefined, true])
    }))

  it.live("has no text for Expo", () =>
    Effect.gen(function*() {
      const { body } = yield* sent(Push.expo, { data: { order: "42" }, _contentAvailable: true })
      assert.hasAllKeys(Object(body), ["to", "data", "_contentAvailable"])
    }))
})
