import * as Devices from "#layers/providers/Devices.ts"
import { ContentRejected, RateLimited, RecipientRejected, Unavailable, Unknown } from "#schemas/DeliveryError.ts"
import { configure, delivery, outcomeOf, type Row, send, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import * as Mail from "#test/layers/providers/rows/Email.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Ref, Result, type Schema } from "effect"
import { importSPKI, jwtVerify } from "jose"

/** The outcome where the call before the sending one gets this reply. */
const beforeThat = (row: Row, path: string, reply: ScriptedVendor.Answer) =>
  Effect.map(send({ ...row, before: { ...row.before, [path]: reply } }, row.success), ({ result, seen }) => [
    outcomeOf(result),
    seen.some((one) => one.path === row.request.path)
  ])

describe("vendors", () => {
  it.live("P4: a failure before the sending call is never unknown, and sends nothing", () =>
    Effect.gen(function*() {
      const garbage = { status: 200, body: "<html>" }
      const found = yield* Effect.all([
        beforeThat(Push.firebaseFcm, "/token", { status: 400, body: "{\"error\":\"invalid_grant\"}" }),
        beforeThat(Push.firebaseFcm, "/token", { status: 503 }),
        beforeThat(Push.firebaseFcm, "/token", { status: 408 }),
        beforeThat(Push.firebaseFcm, "/token", garbage),
        beforeThat(Chat.msTeams, "/login", { status: 401 }),
        beforeThat(Chat.msTeams, "/v3/conversations", { status: 500 }),
        beforeThat(Chat.msTeams, "/v3/conversations", garbage),
        beforeThat(Chat.slack, "/users.lookupByEmail", {
          status: 200,
          body: "{\"ok\":false,\"error\":\"users_not_found\"}"
        }),
        beforeThat(Chat.slack, "/users.lookupByEmail", {
          status: 200,
          body: "{\"ok\":false,\"error\":\"internal_error\"}"
        }),
        beforeThat(Chat.slack, "/users.lookupByEmail", garbage),
        beforeThat(Chat.discord, "/api/v10/users/@me/channels", { status: 400, body: "{\"code\":50007}" }),
        beforeThat(Chat.discord, "/api/v10/users/@me/channels", { status: 200, body: "{\"id\":\"../x\"}" })
      ])
      assert.deepStrictEqual(found, [
        ["Misconfigured", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["Misconfigured", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["RecipientRejected", false],
        ["Unavailable", false],
        ["Unavailable", false],
        ["RecipientRejected", false],
        ["Unavailable", false]
      ])
    }))

  it.live("the wait that a vendor asks for before the sending call is kept", () =>
    Effect.gen(function*() {
      const slow = { status: 429, headers: { "retry-after": "30" } }
      const waits = yield* Effect.forEach(
        [
          [Chat.slack, "/users.lookupByEmail"],
          [Chat.discord, "/api/v10/users/@me/channels"],
          [Chat.msTeams, "/v3/conversations"],
          [Push.firebaseFcm, "/token"]
        ] as const,
        ([row, path]) =>
          Effect.map(send({ ...row, before: { ...row.before, [path]: slow } }, row.success), ({ result }) => {
            assert.isTrue(Result.isFailure(result))
            return Result.isFailure(result) && "retryAfter" in result.failure ? result.failure.retryAfter : undefined
          })
      )
      assert.deepStrictEqual(waits, [30_000, 30_000, 30_000, 30_000])
    }))

  it.live("FCM's assertion and APNs' token verify with the public key", () =>
    Effect.gen(function*() {
      const fcm = yield* send(Push.firebaseFcm, Push.firebaseFcm.success)
      const form = new URLSearchParams(fcm.seen[0]?.body)
      const apn = yield* send(Push.apn, Push.apn.success)
      const bearer = apn.seen[0]?.headers["authorization"]?.replace("bearer ", "") ?? ""
      const verified = (jwt: string, key: typeof Push.rsa, algorithm: string) =>
        Effect.promise(async () => {
          const pem = key.publicKey.export({ type: "spki", format: "pem" }).toString()
          return await jwtVerify(jwt, await importSPKI(pem, algorithm))
        })
      const assertion = yield* verified(form.get("assertion") ?? "", Push.rsa, "RS256")
      const provider = yield* verified(bearer, Push.ec, "ES256")
      assert.strictEqual(form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer")
      assert.strictEqual(assertion.payload.iss, Push.firebaseFcm.settings["client_email"])
      assert.strictEqual((assertion.payload.exp ?? 0) - (assertion.payload.iat ?? 0), 3_600)
      assert.deepStrictEqual([provider.payload.iss, provider.protectedHeader.kid, provider.payload.exp], [
        "DEF123GHIJ",
        "ABC123DEFG",
        undefined
      ])
    }))

  it.live("a key that is none is the operator's to mend", () =>
    Effect.gen(function*() {
      const rotten = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
      for (const row of [Push.apn, Push.firebaseFcm]) {
        const { result, seen } = yield* send(
          { ...row, settings: { ...row.settings, private_key: rotten } },
          row.success
        )
        assert.strictEqual(outcomeOf(result), "Misconfigured")
        assert.deepStrictEqual(seen, [])
      }
    }))

  it.live("the recipient's own Slack token and channel go before the configuration's", () =>
    Effect.gen(function*() {
      const row = { ...Chat.slack, settings: { access_token: "xoxb-own" } }
      const channel = yield* send(row, row.success, {
        more: { profile: { slack: { channel: "C1", email: "a@b.example" } } }
      })
      const [only] = channel.seen
      assert.strictEqual(channel.seen.length, 1)
      assert.strictEqual(only?.headers["authorization"], "Bearer xoxb-own")
      const none = yield* send(Chat.slack, Chat.slack.success, { more: { profile: { slack: { channel: "C1" } } } })
      assert.strictEqual(outcomeOf(none.result), "Misconfigured")
    }))

  it.live("P9: the bot's token goes to no host that a recipient names", () =>
    Effect.gen(function*() {
      const server = yield* ScriptedVendor.listen({
        script: ({ path }) => Chat.msTeams.before?.[path] ?? Chat.msTeams.success
      })
      const { base_url: _, ...settings } = settingsAt(Chat.msTeams, server.origin)
      const vendor = yield* configure(Chat.msTeams, settings).pipe(withHttp(2_000))
      for (
        const service_url of [
          server.origin,
          "https://evil.example/",
          "http://smba.trafficmanager.net/",
          "https://smba.trafficmanager.net@evil.example/",
          "x"
        ]
      ) {
        const profile = { ms_teams: { service_url, conversation_id: "c" } }
        const result = yield* Effect.result(vendor.send(delivery(Chat.msTeams, { profile })))
        assert.strictEqual(outcomeOf(result), "RecipientRejected", service_url)
      }
      assert.deepStrictEqual(server.seen, [])
    }).pipe(Effect.scoped))

  it.live("override.config changes credentials for one message, and never the host, nor who is told of it", () =>
    Effect.gen(function*() {
      const { seen } = yield* send(Mail.sendGrid, Mail.sendGrid.success, {
        more: { override: { config: { apiKey: "SG.other" } } }
      })
      assert.strictEqual(seen[0]?.headers["authorization"], "Bearer SG.other")
      const host = yield* send(Mail.sendGrid, Mail.sendGrid.success, {
        more: { override: { config: { baseUrl: "http://127.0.0.1:1" } } }
      })
      const wrong = yield* send(Mail.sendGrid, Mail.sendGrid.success, {
        more: { override: { config: { api_key: 42 } } }
      })
      const callback = yield* send(Sms.twilio, Sms.twilio.success, {
        more: { override: { config: { statusCallback: "https://evil.example/" } } }
      })
      const refused = [host, wrong, callback]
      assert.deepStrictEqual(refused.map(({ result }) => outcomeOf(result)), refused.map(() => "Misconfigured"))
      assert.deepStrictEqual(refused.flatMap(({ seen }) => seen), [])
    }))

  it.live("a token is made once for all messages of the same credentials, whatever else they override", () =>
    Effect.gen(function*() {
      const tokensOf = Effect.fnUntraced(function*(row: Row, configs: ReadonlyArray<Schema.JsonObject>) {
        const server = yield* ScriptedVendor.listen({
          http2: row.http2 === true,
          script: ({ path }) => row.before?.[path] ?? row.success
        })
        const vendor = yield* configure(row, settingsAt(row, server.origin)).pipe(withHttp(10_000))
        for (const config of configs) yield* vendor.send(delivery(row, { override: { config } }))
        const made = server.seen.filter(({ path }) => row.before?.[path] !== undefined).length
        const used = new Set(server.seen.flatMap(({ headers }) => headers["authorization"] ?? []))
        return { made, used: used.size }
      }, Effect.scoped)
      const others = [{}, { topic: "com.example.other" }, { environment: "sandbox" }, {}]
      assert.deepStrictEqual(yield* tokensOf(Push.apn, others), { made: 0, used: 1 })
      assert.deepStrictEqual(yield* tokensOf(Push.apn, [{}, { key_id: "OTHERKEY99" }]), { made: 0, used: 2 })
      const projects = [{}, { project_id: "other" }, { projectId: "third" }]
      assert.deepStrictEqual(yield* tokensOf(Push.firebaseFcm, projects), { made: 1, used: 1 })
      assert.deepStrictEqual((yield* tokensOf(Push.firebaseFcm, [{}, { client_email: "b@example.com" }])).made, 2)
    }))

  it.live("a configuration's alias may be any text", () =>
    Effect.gen(function*() {
      for (
        const [row, alias] of [[Mail.resend, "マーケ"], [Sms.twilio, "büro ☎"], [Mail.resend, "x".repeat(300)]] as const
      ) {
        const idempotencyToken = `1-67890abc-0123456789abcdef01234567:x:${alias}`
        const sent = Effect.map(
          send(row, row.success, { more: { idempotencyToken } }),
          ({ result, seen: [request] }) =>
            [
              outcomeOf(result),
              request?.headers["idempotency-key"] ?? request?.headers["i-twilio-idempotency-token"] ?? ""
            ] as const
        )
        const [[outcome, first], [, again]] = yield* Effect.all([sent, sent])
        assert.strictEqual(outcome, "Accepted", alias)
        assert.match(first, /^[\x21-\x7e]{1,256}$/)
        assert.strictEqual(first, again)
      }
    }))

  it.live("a number that is none is refused before anything is sent", () =>
    Effect.forEach(
      [Sms.twilio, Sms.vonage],
      Effect.fnUntraced(function*(row) {
        for (
          const phone_number of ["4155552671", "+1415", "+1415555267a", "+14155552671,+14155552672", "tel:+14155552671"]
        ) {
          const { result, seen } = yield* send(row, row.success, { more: { profile: { phone_number } } })
          assert.deepStrictEqual([outcomeOf(result), seen.length], ["RecipientRejected", 0], phone_number)
        }
      })
    ))

  it.live("Twilio wants a sender, and sends by a service where it is given", () =>
    Effect.gen(function*() {
      const { from: _, ...settings } = Sms.twilio.settings
      const none = yield* send({ ...Sms.twilio, settings }, Sms.twilio.success)
      assert.strictEqual(outcomeOf(none.result), "Misconfigured")
      const service = `MG${"0".repeat(32)}`
      const some = yield* send(
        { ...Sms.twilio, settings: { ...settings, messaging_service_sid: service } },
        Sms.twilio.success
      )
      assert.strictEqual(new URLSearchParams(some.seen[0]?.body).get("MessagingServiceSid"), service)
    }))

  it.live("messages sent at once keep their own requests", () =>
    Effect.gen(function*() {
      const server = yield* ScriptedVendor.listen({ script: () => Sms.twilio.success })
      const vendor = yield* configure(Sms.twilio, settingsAt(Sms.twilio, server.origin)).pipe(withHttp(10_000))
      const numbers = Array.from({ length: 40 }, (_, index) => `+141555520${10 + index}`)
      yield* Effect.forEach(
        numbers,
        (phone_number) => vendor.send(delivery(Sms.twilio, { profile: { phone_number } })),
        {
          concurrency: "unbounded"
        }
      )
      assert.sameMembers(server.seen.map(({ body }) => new URLSearchParams(body).get("To") ?? ""), numbers)
    }).pipe(Effect.scoped))
})

describe("Devices", () => {
  const gone = new RecipientRejected({ detail: "gone", invalidates: true })
  const other = new RecipientRejected({ detail: "other", invalidates: false })
  it.effect("one device that takes the message makes it accepted", () =>
    Effect.gen(function*() {
      const accepted = yield* Devices.each(["a", "b"], (to) =>
        to === "a" ? Effect.fail(gone) : Effect.succeed({ reference: to }))
      assert.strictEqual(accepted.reference, "b")
    }))

  it.effect("where none takes it, what may have been sent decides, then what may be sent later", () =>
    Effect.gen(function*() {
      const errors = {
        gone,
        other,
        content: new ContentRejected({ detail: "content" }),
        down: new Unavailable({ detail: "down" }),
        slow: new RateLimited({ detail: "slow" }),
        unknown: new Unknown({ detail: "unknown" })
      }
      const isKey = (name: string): name is keyof typeof errors => name in errors
      const outcome = (...names: ReadonlyArray<string>) =>
        Effect.flip(Devices.each(names, (name) => isKey(name) ? Effect.fail(errors[name]) : Effect.die(name)))
      assert.strictEqual((yield* outcome("gone", "unknown", "slow"))._tag, "Unknown")
      assert.strictEqual((yield* outcome("gone", "down", "slow"))._tag, "RateLimited")
      assert.strictEqual((yield* outcome("gone", "down", "content"))._tag, "Unavailable")
      assert.deepInclude(yield* outcome("gone", "gone"), { _tag: "RecipientRejected", invalidates: true })
      assert.deepInclude(yield* outcome("gone", "other"), { _tag: "RecipientRejected", invalidates: false })
    }))

  it.effect("no address is a refusal, and no more than 20 are tried", () =>
    Effect.gen(function*() {
      const none = yield* Effect.exit(Devices.each([], () => Effect.succeed({ reference: undefined })))
      assert.isTrue(Exit.isFailure(none))
      const tried = yield* Ref.make(0)
      yield* Effect.exit(
        Devices.each(Array.from({ length: 50 }, (_, index) => index), () =>
          Effect.andThen(Ref.update(tried, (n) => n + 1), Effect.fail(gone)))
      )
      assert.strictEqual(yield* Ref.get(tried), 20)
    }))

  it("tokens are texts, each once", () => {
    assert.deepStrictEqual(Devices.tokens(["a", "", 1, "b", "a"]), ["a", "b"])
    assert.deepStrictEqual(Devices.tokensOf({ token: "a", tokens: ["b", "a"] }), ["a", "b"])
    assert.deepStrictEqual(Devices.tokensOf("a"), [])
  })
})
