import * as BearerToken from "#layers/providers/BearerToken.ts"
import { delivery, outcomeOf, play, replying, type Row, send } from "#test/contracts/VendorRow.ts"
import * as Chat from "#test/layers/providers/rows/Chat.ts"
import { json } from "#test/layers/providers/rows/Json.ts"
import * as Push from "#test/layers/providers/rows/Push.ts"
import type * as ScriptedVendor from "#test/support/ScriptedVendor.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref, type Schema } from "effect"
import { TestClock } from "effect/testing"

const teams = (address: Schema.JsonObject): Schema.JsonObject => ({
  ms_teams: { service_url: "https://smba.trafficmanager.net/emea/", ...address }
})

/** A vendor that issues tokens by number, and answers 401 to any but those issued since `revoke`. */
const issuing = (row: Row) => {
  let issued = 0
  let revoked = 0
  const channels = json(200, { conversations: [{ id: "19:1", name: "News" }] })
  return {
    issued: () => issued,
    revoke: () => {
      revoked = issued
    },
    script: ({ body, headers, method, path }: ScriptedVendor.Seen) => {
      if (method === "POST" && body === "") return row.success
      if (path === "/token" || path === "/login")
        return json(200, { access_token: `t-${++issued}`, expires_in: 3_600, token_type: "Bearer" })
      if (Number(headers["authorization"]?.split("-")[1]) <= revoked) return { status: 401 }
      return path.startsWith("/v3/teams/") ? channels : row.before?.[path] ?? row.success
    }
  }
}

describe("bearer tokens", () => {
  it.live("a token is asked for once, and again if the vendor honours it no longer, which costs no message", () =>
    Effect.forEach(
      [
        { row: Push.firebaseFcm, profile: Push.firebaseFcm.profile },
        { row: Chat.msTeams, profile: teams({ conversation_id: "19:1" }) },
        { row: Chat.msTeams, profile: teams({ user_id: "29:1" }) },
        { row: Chat.msTeams, profile: teams({ team_id: "t", channel_name: "News" }) }
      ],
      Effect.fnUntraced(function*({ profile, row }) {
        const { issued, revoke, script } = issuing(row)
        const { vendor } = yield* play(row, script)
        const sent = Effect.map(Effect.result(vendor.send(delivery(row, { profile }))), outcomeOf)
        assert.deepStrictEqual(yield* Effect.all([sent, sent]), ["Accepted", "Accepted"])
        assert.strictEqual(issued(), 1)
        revoke()
        const many = yield* Effect.all(Array.from({ length: 20 }, () => sent), { concurrency: "unbounded" })
        assert.deepStrictEqual(many, many.map(() => "Accepted"))
        assert.strictEqual(issued(), 2)
      }, Effect.scoped)
    ))

  it.effect("a token is used until a minute before the end that its issuer tells in seconds", () =>
    Effect.gen(function*() {
      const { server, vendor } = yield* play(Push.firebaseFcm, replying(Push.firebaseFcm))
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

  it.live("a refusal of one recipient, or of what Apple was told of the sender, costs no new token and no second call", () =>
    Effect.forEach(
      [[403, "SENDER_ID_MISMATCH", "RecipientRejected"], [
        401,
        "THIRD_PARTY_AUTH_ERROR",
        "Misconfigured"
      ]],
      Effect.fnUntraced(function*([status = 0, errorCode, outcome]) {
        const refused = {
          status: Number(status),
          body: JSON.stringify({ error: { code: status, details: [{ errorCode }] } })
        }
        const { server, vendor } = yield* play(Push.firebaseFcm, replying(Push.firebaseFcm, refused))
        const sent = Effect.map(Effect.result(vendor.send(delivery(Push.firebaseFcm))), outcomeOf)
        assert.deepStrictEqual<ReadonlyArray<unknown>>(yield* Effect.all([sent, sent]), [outcome, outcome])
        assert.lengthOf(server.seen.filter(({ path }) => path === "/token"), 1)
        assert.lengthOf(server.seen, 3)
      }, Effect.scoped)
    ))

  it.live("credentials that are refused with a new token as well are the operator's to mend, at one token a message", () =>
    Effect.forEach(
      [{ conversation_id: "19:1" }, { user_id: "29:1" }, { team_id: "t", channel_name: "News" }],
      Effect.fnUntraced(function*(address) {
        const { server, vendor } = yield* play(
          Chat.msTeams,
          (seen) => seen.path === "/login" ? replying(Chat.msTeams)(seen) : { status: 401 }
        )
        const sent = Effect.map(
          Effect.result(vendor.send(delivery(Chat.msTeams, { profile: teams(address) }))),
          outcomeOf
        )
        assert.deepStrictEqual(yield* Effect.all([sent, sent]), ["Misconfigured", "Misconfigured"])
        assert.lengthOf(server.seen.filter(({ path }) => path === "/login"), 3)
      }, Effect.scoped)
    ))

  it.live("a provider token that Apple calls expired is made anew for the next try", () =>
    Effect.gen(function*() {
      const expired = { status: 403, body: "{\"reason\":\"ExpiredProviderToken\"}" }
      const answers: Array<ScriptedVendor.Answer> = [expired, Push.apn.success, Push.apn.success]
      const { server, vendor } = yield* play(
        Push.apn,
        ({ body }) => body === "" ? { status: 500 } : answers.shift() ?? { status: 500 }
      )
      const results = yield* Effect.forEach([1, 2, 3], () => Effect.result(vendor.send(delivery(Push.apn))))
      assert.deepStrictEqual(results.map(outcomeOf), ["Unavailable", "Accepted", "Accepted"])
      const [first, second, third] = server.seen.map(({ headers }) => headers["authorization"])
      assert.notStrictEqual(first, second)
      assert.strictEqual(second, third)
    }).pipe(Effect.scoped))

  it.live("a key that Apple refuses for a topic costs no new token, of which it takes one in 20 minutes", () =>
    Effect.gen(function*() {
      // The last of these is not in Apple's table (swift-server-community/APNSwift#229).
      const refusals = ["InvalidProviderToken", "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken"]
      const { server, vendor } = yield* play(
        Push.apn,
        ({ headers }) => {
          const reason = refusals.find((one) => one === headers["apns-topic"])
          return reason === undefined ? Push.apn.success : { status: 403, body: JSON.stringify({ reason }) }
        }
      )
      const sent = (config: Schema.JsonObject) =>
        Effect.map(Effect.result(vendor.send(delivery(Push.apn, { override: { config } }))), outcomeOf)
      const results = yield* Effect.forEach([{}, ...refusals.map((topic) => ({ topic })), {}], sent)
      assert.deepStrictEqual(results, ["Accepted", "Misconfigured", "Misconfigured", "Misconfigured", "Accepted"])
      assert.strictEqual(new Set(server.seen.map(({ headers }) => headers["authorization"])).size, 1)
    }).pipe(Effect.scoped))

  it.effect("a token outlives late refusals of the one before it", () =>
    Effect.gen(function*() {
      const issued = yield* Ref.make(0)
      const token = yield* BearerToken.make(() =>
        Effect.map(Ref.updateAndGet(issued, (n) => n + 1), (n) => ({ token: `t${n}`, lifetimeMs: 3_600_000 }))
      )
      const none = () => Effect.die("no call is made")
      const get = token.get({ send: none, prepare: none })
      yield* get
      for (const late of ["Bearer t1", "Bearer t1", "bearer t1", undefined]) {
        yield* token.forget(late)
        assert.strictEqual(yield* get, "t2")
      }
      yield* token.forget("bearer t2")
      assert.strictEqual(yield* get, "t3")
    }))

  it.effect("a token that was signed by a clock that was ahead is made anew once that is set back, and none outlives its end", () =>
    Effect.gen(function*() {
      const issued = yield* Ref.make(0)
      const token = yield* BearerToken.make(() =>
        Effect.map(Ref.updateAndGet(issued, (n) => n + 1), (n) => ({ token: `t${n}`, lifetimeMs: 3_600_000 }))
      )
      const none = () => Effect.die("no call is made")
      const get = token.get({ send: none, prepare: none })
      yield* TestClock.setTime(7_200_000)
      const ahead = yield* get
      yield* TestClock.setTime(0)
      const right = yield* get
      yield* TestClock.adjust("40 minutes")
      yield* TestClock.setTime(60_000)
      const kept = yield* get
      yield* TestClock.adjust("19 minutes")
      assert.deepStrictEqual([ahead, right, kept, yield* get], ["t1", "t2", "t2", "t3"])
    }))

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
