import { url, secret } from "#layers/providers/SettingFields.ts"
import type { VendorHttp } from "#layers/providers/VendorHttp.ts"
import { configure, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const catalogued = Effect.map(
  Effect.context<VendorHttp>(),
  (context) => Rows.all.map(({ entry }) => entry.catalogued(context))
)
  .pipe(withHttp(1_000), Effect.scoped)

describe("Catalogue of vendors over HTTP", () => {
  it.effect("P9: every field that holds a credential is marked secret, and no other", () =>
    Effect.map(catalogued, (entries) => {
      const secrets = entries.map(({ fields, key }) => [
        key,
        Object.entries(fields).flatMap(([name, field]) => field.secret ? [name] : [])
      ])
      assert.deepStrictEqual(Object.fromEntries(secrets), {
        "aws-ses": ["secret_access_key", "session_token"],
        "postmark": ["server_token", "webhook_secret"],
        "resend": ["api_key"],
        "sendgrid": ["api_key"],
        "twilio": ["auth_token"],
        "vonage": ["api_secret"],
        "apn": ["private_key"],
        "expo": ["access_token"],
        "firebase-fcm": ["private_key"],
        "discord": ["bot_token"],
        "msteams": ["app_password"],
        "pagerduty": ["routing_key"],
        "slack": ["access_token"]
      })
    }))

  it.effect("every vendor over HTTP takes base_url", () =>
    Effect.map(catalogued, (entries) => {
      for (const { fields, key } of entries) {
        assert.deepInclude(fields["base_url"], { type: "string", required: false, secret: false }, key)
      }
    }))

  it.effect("settings without a required field are refused", () =>
    Effect.forEach(Rows.all, (row, index) =>
      Effect.gen(function*() {
        const { fields = {} } = (yield* catalogued)[index] ?? {}
        for (const [name] of Object.entries(fields).filter(([, { required }]) => required)) {
          const { [name]: _, ...rest } = settingsAt(row, "http://127.0.0.1:1")
          const error = yield* Effect.flip(configure(row, rest))
          assert.include(new Schema.SchemaError(error).message, name)
        }
      }).pipe(withHttp(1_000), Effect.scoped)))

  it("a base is an absolute http(s) URL without credentials, query or fragment", () => {
    const fits = Schema.is(url)
    const good = ["https://a.example", "http://127.0.0.1:8080/prefix/"]
    const bad = [
      "a.example",
      "ftp://a.example",
      "https://u:p@a.example",
      "https://a.example?x",
      "https://a.example#x",
      // Its trailing slashes are looked for at every send.
      `https://a.example/${"/".repeat(3_000)}x`,
      ""
    ]
    assert.deepStrictEqual(good.filter((text) => !fits(text)), [])
    assert.deepStrictEqual(bad.filter((text) => fits(text)), [])
  })

  it("a key with a line end is no key", () => {
    const decode = Schema.decodeUnknownExit(secret)
    assert.strictEqual(decode("SG.key")._tag, "Success")
    assert.strictEqual(decode("SG.key\r\nx: y")._tag, "Failure")
  })
})
