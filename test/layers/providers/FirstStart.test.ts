import * as FirstStart from "#layers/providers/FirstStart.ts"
import * as Vendors from "#layers/providers/Vendors.ts"
import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import { Scope } from "#schemas/Scope.ts"
import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"

const catalogue = Vendors.layer.pipe(Layer.provide(VendorHttp.layer))

/** A start with these variables, over the stores at hand. */
const start = (env: Record<string, string>) =>
  Layer.build(FirstStart.layer.pipe(
    Layer.provide(catalogue),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  ))

const installed = Effect.fnUntraced(function*(scope: number) {
  const all = yield* ProviderConfigurations.use((configurations) => configurations.installed(Scope.make(scope)))
  return all.map(({ provider, settings }) => [provider, settings === undefined ? undefined : Redacted.value(settings)])
})

const refusal = (env: Record<string, string>) => Effect.map(Effect.flip(start(env)), String)

const sid = `AC${"0".repeat(32)}`

describe("FirstStart", () => {
  it.effect("stores what the variables name, for production alone and once", () =>
    Effect.gen(function*() {
      const env = {
        SMTP_URL: "smtps://ops%40example.com:p%2Fw@mail.example.com:2465",
        TWILIO_ACCOUNT_SID: sid,
        TWILIO_AUTH_TOKEN: "token",
        TWILIO_FROM: "+15005550006"
      }
      yield* start({})
      assert.deepStrictEqual(yield* installed(1), [])
      yield* start(env)
      const stored = yield* installed(1)
      assert.sameDeepMembers(stored, [
        ["smtp", {
          host: "mail.example.com",
          port: 2465,
          secure: true,
          username: "ops@example.com",
          password: "p/w",
          from_address: "ops@example.com"
        }],
        ["twilio", { account_sid: sid, auth_token: "token", from: "+15005550006" }]
      ])
      yield* start({ SMTP_URL: "smtp://other?from=a@example.com" })
      assert.deepStrictEqual(yield* installed(1), stored)
      assert.deepStrictEqual(yield* installed(2), [])
    }).pipe(Effect.provide(Layer.fresh(Stores.layer))))

  it.effect("a variable that names no provider stops the start, and its value is not told (P9)", () =>
    Effect.gen(function*() {
      for (const url of ["hidden", "http://hidden", "smtp://user:hidden@host", "smtp://host?from=hidden"]) {
        const message = yield* refusal({ SMTP_URL: url })
        assert.match(message, /SMTP_URL must be /)
        assert.notInclude(message, "hidden")
      }
      const message = yield* refusal({ TWILIO_ACCOUNT_SID: "hidden", SMTP_URL: "hidden" })
      assert.match(message, /SMTP_URL must be .*\n.*TWILIO_ACCOUNT_SID/)
      assert.notInclude(message, "hidden")
      assert.deepStrictEqual(yield* installed(1), [])
    }).pipe(Effect.provide(Layer.fresh(Stores.layer))))
})
