import {
  configure,
  delivery,
  outcomeOf,
  play,
  replying,
  type Row,
  send,
  settingsAt,
  withHttp
} from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import { sendGrid } from "#test/layers/providers/rows/SendGrid.ts"
import * as Sms from "#test/layers/providers/rows/Sms.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { importSPKI, jwtVerify } from "jose"

describe("credentials", () => {
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
      const server = yield* ScriptedVendor.listen({ script: replying(Chat.msTeams) })
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
      const { seen } = yield* send(sendGrid, sendGrid.success, {
        more: { override: { config: { apiKey: "SG.other" } } }
      })
      assert.strictEqual(seen[0]?.headers["authorization"], "Bearer SG.other")
      const host = yield* send(sendGrid, sendGrid.success, {
        more: { override: { config: { baseUrl: "http://127.0.0.1:1" } } }
      })
      const wrong = yield* send(sendGrid, sendGrid.success, {
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
        const { server, vendor } = yield* play(row, replying(row))
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
      const b = { client_email: "b@example.com" }
      assert.deepStrictEqual((yield* tokensOf(Push.firebaseFcm, [{}, b, { ...b, project_id: "other" }, {}, b])).made, 2)
      const key = { key_id: "OTHERKEY99" }
      assert.deepStrictEqual((yield* tokensOf(Push.apn, [key, {}, key, { team_id: "OTHERTEAM1" }, key])).used, 3)
    }))
})
