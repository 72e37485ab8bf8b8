import * as BearerToken from "#layers/providers/BearerToken.ts"
import { configure, delivery, outcomeOf, send, settingsAt, withHttp } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"

describe("bearer tokens", () => {
  it.live("a token is asked for once, and again after the vendor refused it", () =>
    Effect.gen(function*() {
      const answers = [Push.firebaseFcm.success, Push.firebaseFcm.success, { status: 401 }, Push.firebaseFcm.success]
      const server = yield* ScriptedVendor.listen({
        script: ({ body, path }) => {
          const before = Push.firebaseFcm.before?.[path]
          return before ?? (body === "" ? { status: 500 } : answers.shift() ?? { status: 500 })
        }
      })
      const vendor = yield* configure(Push.firebaseFcm, settingsAt(Push.firebaseFcm, server.origin)).pipe(
        withHttp(10_000)
      )
      yield* Effect.forEach([1, 2, 3, 4], () => Effect.exit(vendor.send(delivery(Push.firebaseFcm))))
      assert.deepStrictEqual(server.seen.map(({ path }) => path === "/token" ? "token" : "send"), [
        "token",
        "send",
        "send",
        "send",
        "token",
        "send"
      ])
    }).pipe(Effect.scoped))

  it.effect("a token is used until a minute before the end that its issuer tells in seconds", () =>
    Effect.gen(function*() {
      const server = yield* ScriptedVendor.listen({
        script: ({ path }) => Push.firebaseFcm.before?.[path] ?? Push.firebaseFcm.success
      })
      const vendor = yield* configure(Push.firebaseFcm, settingsAt(Push.firebaseFcm, server.origin)).pipe(
        withHttp(10_000)
      )
      const tokens = Effect.map(
        vendor.send(delivery(Push.firebaseFcm)),
        () => server.seen.filter(({ path }) => path === "/token").length
      )
      const first = yield* tokens
      yield* TestClock.adjust("58 minutes")
      const second = yield* tokens
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual([first, second, yield* tokens], [1, 1, 2])
    }).pipe(Effect.scoped))

  it.live("an issuer that only points elsewhere gave no token, which is the operator's to mend", () =>
    Effect.gen(function*() {
      const before = { "/token": { status: 302, headers: { location: "/elsewhere" } } }
      const { result, seen } = yield* send({ ...Push.firebaseFcm, before }, Push.firebaseFcm.success)
      assert.strictEqual(outcomeOf(result), "Misconfigured")
      assert.deepStrictEqual(seen.map(({ path }) => path), ["/token"])
    }))

  it.live("a refusal of one recipient costs no new token", () =>
    Effect.gen(function*() {
      const details = [{ errorCode: "SENDER_ID_MISMATCH" }]
      const refused = { status: 403, body: JSON.stringify({ error: { code: 403, details } }) }
      const server = yield* ScriptedVendor.listen({
        script: ({ path }) => Push.firebaseFcm.before?.[path] ?? refused
      })
      const vendor = yield* configure(Push.firebaseFcm, settingsAt(Push.firebaseFcm, server.origin)).pipe(
        withHttp(10_000)
      )
      const sent = Effect.map(Effect.result(vendor.send(delivery(Push.firebaseFcm))), outcomeOf)
      assert.deepStrictEqual(yield* Effect.all([sent, sent]), ["RecipientRejected", "RecipientRejected"])
      assert.lengthOf(server.seen.filter(({ path }) => path === "/token"), 1)
    }).pipe(Effect.scoped))

  it.live("a token that is refused before the sending call is asked for again", () =>
    Effect.forEach(
      [{ user_id: "29:1" }, { team_id: "t", channel_name: "News" }],
      Effect.fnUntraced(function*(address) {
        const server = yield* ScriptedVendor.listen({
          script: ({ path }) => path === "/login" ? Chat.msTeams.before?.[path] ?? { status: 500 } : { status: 401 }
        })
        const vendor = yield* configure(Chat.msTeams, settingsAt(Chat.msTeams, server.origin)).pipe(withHttp(10_000))
        const profile = { ms_teams: { service_url: "https://smba.trafficmanager.net/emea/", ...address } }
        const sent = Effect.map(Effect.result(vendor.send(delivery(Chat.msTeams, { profile }))), outcomeOf)
        assert.deepStrictEqual(yield* Effect.all([sent, sent]), ["Misconfigured", "Misconfigured"])
        assert.lengthOf(server.seen.filter(({ path }) => path === "/login"), 2)
      }, Effect.scoped)
    ))

  it.live("a provider token that Apple calls expired is made anew for the next try", () =>
    Effect.gen(function*() {
      const expired = { status: 403, body: "{\"reason\":\"ExpiredProviderToken\"}" }
      const answers: Array<ScriptedVendor.Answer> = [expired, Push.apn.success, Push.apn.success]
      const server = yield* ScriptedVendor.listen({
        http2: true,
        script: ({ body }) => body === "" ? { status: 500 } : answers.shift() ?? { status: 500 }
      })
      const vendor = yield* configure(Push.apn, settingsAt(Push.apn, server.origin)).pipe(withHttp(10_000))
      const results = yield* Effect.forEach([1, 2, 3], () => Effect.result(vendor.send(delivery(Push.apn))))
      assert.deepStrictEqual(results.map(outcomeOf), ["Unavailable", "Accepted", "Accepted"])
      const [first, second, third] = server.seen.map(({ headers }) => headers["authorization"])
      assert.notStrictEqual(first, second)
      assert.strictEqual(second, third)
    }).pipe(Effect.scoped))

  it.effect("a token is renewed shortly before its end, by one asker", () =>
    Effect.gen(function*() {
      const issued = yield* Ref.make(0)
      const token = yield* BearerToken.make(() =>
        // The issuer takes its time, in which the others ask too.
        Effect.andThen(Effect.yieldNow, Ref.updateAndGet(issued, (n) => n + 1)).pipe(
          Effect.map((n) => ({ token: `t${n}`, lifetimeMs: 3_600_000 }))
        )
      )
      const none = () => Effect.die("no call is made")
      const get = token.get({ send: none, prepare: none })
      const first = yield* Effect.all([get, get, get], { concurrency: "unbounded" })
      yield* TestClock.adjust("58 minutes")
      const second = yield* get
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([first, second, yield* get], [["t1", "t1", "t1"], "t1", "t2"])
    }))
})
