import * as FirstStart from "#layers/providers/FirstStart.ts"
import * as Vendors from "#layers/providers/Vendors.ts"
import * as VendorHttp from "#layers/providers/VendorHttp.ts"
import { WorkerNumber } from "#layers/settings/Settings.ts"
import { Scope } from "#schemas/Scope.ts"
import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger, Redacted } from "effect"

const catalogue = Vendors.layer.pipe(Layer.provide(VendorHttp.layer))

/** A start with these variables, over the stores at hand. */
const start = (env: Record<string, string>) =>
  Layer.build(FirstStart.layer.pipe(
    Layer.provide(catalogue),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  ))

/** What such a start warns of. */
const warnings = Effect.fnUntraced(function*(env: Record<string, string>) {
  const heard: Array<string> = []
  const listening = Logger.layer([Logger.make<unknown, void>(({ logLevel, message }) => {
    if (logLevel === "Warn") heard.push(String(message))
  })])
  yield* start(env).pipe(Effect.provide(listening))
  return heard
})

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

  it.effect("a sender with a plus stays as it is written: in a URI that is no blank", () =>
    Effect.gen(function*() {
      yield* start({ SMTP_URL: "smtp://mail.example.com?from=no-reply+prod@example.com&require_tls=false" })
      const [[, settings] = []] = yield* installed(1)
      assert.deepInclude(settings, { from_address: "no-reply+prod@example.com", require_tls: false })
    }).pipe(Effect.provide(Layer.fresh(Stores.layer))))

  it.effect("variables that later configure nothing are told at each start, but not while a provider is as they say", () =>
    Effect.gen(function*() {
      const relay = { SMTP_URL: "smtp://a%40example.com:hidden@mail.example.com:587" }
      const twilio = { TWILIO_ACCOUNT_SID: sid, TWILIO_AUTH_TOKEN: "hidden", TWILIO_FROM: "+15005550006" }
      const idle = (variables: string) =>
        `nothing is configured by ${variables}: production had providers before, and has none like that now; ` +
        "they are changed with PUT /providers/:id"
      const unsaid: Record<string, ReadonlyArray<string>> = {
        "the first start": yield* warnings(relay),
        "the same again": yield* warnings(relay),
        "none any more": yield* warnings({})
      }
      for (const [when, heard] of Object.entries(unsaid)) assert.deepStrictEqual(heard, [], when)

      const rotated = { SMTP_URL: relay.SMTP_URL.replace("hidden", "other") }
      const tls = { SMTP_URL: `${relay.SMTP_URL.replace("smtp:", "smtps:")}` }
      for (const other of [rotated, tls]) {
        assert.deepStrictEqual(yield* warnings(other), [idle("SMTP_URL")])
        assert.deepStrictEqual(yield* warnings(other).pipe(Effect.provideService(WorkerNumber, 1)), [])
      }
      assert.deepStrictEqual(yield* warnings({ ...relay, ...twilio }), [
        idle("TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM")
      ])

      // What the operator adds to the provider takes nothing from what the variable says.
      const configurations = yield* ProviderConfigurations
      const [stored] = yield* configurations.installed(Scope.make(1))
      const settings = Redacted.make({
        ...Redacted.value(stored?.settings ?? Redacted.make({})),
        dkim_domain: "e.example"
      })
      yield* configurations.replace(
        Scope.make(1),
        stored?.id ?? "",
        (before) => Effect.succeed({ ...before, settings })
      )
      assert.deepStrictEqual(yield* warnings(relay), [])
      yield* configurations.remove(Scope.make(1), stored?.id ?? "")
      assert.deepStrictEqual(yield* warnings(relay), [idle("SMTP_URL")])
    }).pipe(Effect.provide(Layer.fresh(Stores.layer))))

  it.effect("a number to send from without an account is told, and is no provider", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* warnings({ TWILIO_FROM: "+15005550006" }), [
        "TWILIO_FROM changes nothing without TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN"
      ])
      assert.deepStrictEqual(yield* installed(1), [])
    }).pipe(Effect.provide(Layer.fresh(Stores.layer))))

  it.effect("a variable that names no provider stops the start, and its value is not told (P9)", () =>
    Effect.gen(function*() {
      const from = "from=a@example.com"
      for (
        const url of [
          "hidden",
          "http://hidden",
          "smtp://user:hidden@host",
          "smtp://host?from=hidden",
          // A password that is not percent-encoded would be none, or end the host's part.
          `smtp://user:hidden%@host?${from}`,
          `smtp://hidden%:word@host?${from}`,
          `smtp://user:25/hidden@host?${from}`,
          `smtp://user:25?hidden@host&${from}`,
          `smtp://host?${from}#hidden`
        ]
      ) {
        const message = yield* refusal({ SMTP_URL: url })
        assert.match(message, /SMTP_URL must be /, url)
        assert.notInclude(message, "hidden")
      }
      const message = yield* refusal({ TWILIO_ACCOUNT_SID: "hidden", SMTP_URL: "hidden" })
      assert.match(message, /SMTP_URL must be .*\n.*TWILIO_ACCOUNT_SID/)
      assert.notInclude(message, "hidden")
      assert.deepStrictEqual(yield* installed(1), [])
    }).pipe(Effect.provide(Layer.fresh(Stores.layer))))
})
