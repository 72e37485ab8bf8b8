import { mostTokens, type TokenWrite } from "#schemas/DeviceToken.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import { UserId } from "#schemas/Profile.ts"
import { DeviceTokens, mostReachable } from "#src/people/DeviceTokens.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const ada = Fixture.user
const bob = UserId.make("bob ' /@")

const write = (provider: TokenWrite["provider_key"] = "expo", more: Partial<TokenWrite> = {}): TokenWrite => ({
  provider_key: provider,
  ...more
})

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const devices = yield* DeviceTokens
  const at = yield* Clock.currentTimeMillis
  const register = (user: UserId, token: string, more?: TokenWrite) =>
    devices.register(scope, user, [{ token, write: more ?? write() }])
  const patch = (token: string, operations: ReadonlyArray<PatchOperation>) =>
    Effect.map(
      Effect.result(devices.patch(scope, ada, token, operations)),
      (result) => result._tag === "Success" ? "done" : result.failure._tag
    )
  const names = (user: UserId) => Effect.map(devices.list(scope, user), (all) => all.map(({ token }) => token))
  const reached = (user: UserId) => Effect.map(devices.reachable(scope, user), (all) => all.map(({ token }) => token))
  return { at, scope, devices, register, patch, names, reached }
})

/** What every store of device tokens promises. */
export const deviceTokensContract = <E>(name: string, stores: Layer.Layer<DeviceTokens | Profiles, E>) =>
  layer(stores)(`DeviceTokens: ${name}`, (it) => {
    it.effect("a token comes back as it was registered, active, and holds for two months", () =>
      Effect.gen(function*() {
        const { devices, register, scope } = yield* start
        const details = {
          device: { platform: "ios", model: "x\u0000y" },
          properties: Fixture.hostile,
          tracking: { ip: "::1", lat: null }
        }
        yield* register(ada, "t/1 é@", write("apn", details))
        const expected = {
          token: "t/1 é@",
          provider: "apn" as const,
          details,
          expires: DateTime.toEpochMillis(
            DateTime.add(DateTime.makeUnsafe(yield* Clock.currentTimeMillis), { months: 2 })
          ),
          status: "active" as const,
          statusReason: undefined
        }
        const found = yield* devices.get(scope, ada, "t/1 é@")
        assert.deepStrictEqual(found, { ...expected, details: found.details })
        assert.strictEqual(JSON.stringify(found.details), JSON.stringify(details))
        const [listed, ...others] = yield* devices.list(scope, ada)
        assert.deepStrictEqual(listed, found)
        assert.deepStrictEqual(others, [])
      }))

    it.effect("registering again replaces all that was said, and makes it active", () =>
      Effect.gen(function*() {
        const { devices, register, scope } = yield* start
        yield* register(ada, "t", write("expo", { properties: { a: 1 }, expiry_date: false }))
        yield* devices.invalidate(scope, "expo", "t", "gone")
        assert.deepInclude(yield* devices.get(scope, ada, "t"), {
          status: "failed",
          statusReason: "gone",
          expires: false
        })
        yield* register(ada, "t", write("apn", { expiry_date: 99 }))
        const found = yield* devices.get(scope, ada, "t")
        assert.deepInclude(found, { provider: "apn", status: "active", statusReason: undefined, expires: 99 })
        assert.strictEqual(JSON.stringify(found.details), "{}")
      }))

    it.effect("a token belongs to one user: registered for another it moves", () =>
      Effect.gen(function*() {
        const { devices, names, reached, register, scope } = yield* start
        yield* register(ada, "t")
        yield* register(bob, "t")
        assert.deepStrictEqual([yield* names(ada), yield* names(bob)], [[], ["t"]])
        assert.deepStrictEqual([yield* reached(ada), yield* reached(bob)], [[], ["t"]])
        assert.strictEqual((yield* Effect.flip(devices.get(scope, ada, "t")))._tag, "TokenNotFound")
        yield* devices.remove(scope, ada, "t")
        assert.deepStrictEqual(yield* names(bob), ["t"])
        yield* devices.remove(scope, bob, "t")
        yield* devices.remove(scope, bob, "t")
        assert.deepStrictEqual(yield* names(bob), [])
      }))

    it.effect("many at once; of one named twice the last counts; none is no change", () =>
      Effect.gen(function*() {
        const { devices, names, scope } = yield* start
        yield* devices.register(scope, ada, [
          { token: "b", write: write() },
          { token: "a", write: write("expo", { expiry_date: 1 }) },
          { token: "a", write: write("apn", { expiry_date: 2 }) }
        ])
        yield* devices.register(scope, ada, [])
        assert.deepStrictEqual(yield* names(ada), ["a", "b"])
        // Of one millisecond, in the order of their characters, also beyond the basic plane.
        yield* devices.register(scope, ada, [{ token: "\u{1f984}", write: write() }, {
          token: "\uffee",
          write: write()
        }])
        assert.deepStrictEqual(yield* names(ada), ["a", "b", "\uffee", "\u{1f984}"])
        assert.deepInclude(yield* devices.get(scope, ada, "a"), { provider: "apn", expires: 2 })
      }))

    it.effect("a user has so many tokens at most: for new ones the oldest go, and nobody else's", () =>
      Effect.gen(function*() {
        const { devices, names, register, scope } = yield* start
        const many = Array.from({ length: mostTokens }, (_, n) => `t${String(n).padStart(3, "0")}`)
        yield* register(bob, "a")
        yield* devices.register(scope, ada, many.map((token) => ({ token, write: write() })))
        yield* TestClock.adjust(1)
        yield* devices.register(scope, ada, ["t000", "x", "y"].map((token) => ({ token, write: write() })))
        assert.deepStrictEqual(yield* names(ada), ["t000", ...many.slice(3), "x", "y"])
        assert.deepStrictEqual(yield* names(bob), ["a"])
      }))

    it.effect("whose profile is deleted is pushed to no longer", () =>
      Effect.gen(function*() {
        const { names, reached, register, scope } = yield* start
        const profiles = yield* Profiles
        for (const user of [ada, bob]) yield* profiles.replace(scope, user, {})
        yield* register(ada, "a")
        yield* register(bob, "b")
        yield* profiles.remove(scope, ada)
        assert.deepStrictEqual([yield* names(ada), yield* reached(ada), yield* names(bob)], [[], [], ["b"]])
      }))

    it.effect("crosswise registrations made at once all end", () =>
      Effect.gen(function*() {
        const { devices, scope } = yield* start
        const tokens = Array.from({ length: 30 }, (_, n) => `t${n}`)
        yield* Effect.forEach([ada, bob, ada, bob, ada, bob], (user, n) =>
          devices.register(
            scope,
            user,
            (n % 2 === 0 ? tokens : tokens.toReversed()).map((token) => ({ token, write: write() }))
          ), { concurrency: "unbounded" })
        const all = [...(yield* devices.list(scope, ada)), ...(yield* devices.list(scope, bob))]
        assert.strictEqual(all.length, tokens.length)
      }))

    it.effect("sent to are active ones that have not expired, the newest first, and not too many", () =>
      Effect.gen(function*() {
        const { at, devices, reached, register, scope } = yield* start
        yield* register(ada, "old", write("expo", { expiry_date: at + 1_000 }))
        yield* TestClock.adjust(500)
        yield* register(ada, "dead")
        yield* register(ada, "for ever", write("apn", { expiry_date: false }))
        yield* devices.invalidate(scope, "expo", "dead", "gone")
        assert.deepStrictEqual(yield* reached(ada), ["for ever", "old"])
        yield* TestClock.adjust(500)
        assert.deepStrictEqual(yield* devices.reachable(scope, ada), [{ provider: "apn", token: "for ever" }])
        yield* devices.register(
          scope,
          ada,
          Array.from({ length: mostReachable }, (_, n) => ({ token: `n${n}`, write: write() }))
        )
        const many = yield* reached(ada)
        assert.strictEqual(many.length, mostReachable)
        assert.notInclude(many, "for ever")
      }))

    it.effect("look-ups made at once each get their own answer", () =>
      Effect.gen(function*() {
        const { reached, register } = yield* start
        const users = Array.from({ length: 20 }, (_, n) => UserId.make(`user ' ${n % 10}`))
        yield* Effect.forEach(users.slice(0, 5), (user) => register(user, `of ${user}`))
        const found = yield* Effect.forEach(users, reached, { concurrency: "unbounded" })
        assert.deepStrictEqual(found, users.map((user) => users.indexOf(user) < 5 ? [`of ${user}`] : []))
      }))

    it.effect("only the provider that the token is of can call it dead, and the reason that it gave first stands", () =>
      Effect.gen(function*() {
        const { devices, register, scope } = yield* start
        yield* register(ada, "t")
        yield* devices.invalidate(scope, "apn", "t", "gone")
        yield* devices.invalidate(scope, "expo", "unknown", "gone")
        assert.strictEqual((yield* devices.get(scope, ada, "t")).status, "active")
        for (const reason of ["gone", "gone again"]) yield* devices.invalidate(scope, "expo", "t", reason)
        const { status, statusReason } = yield* devices.get(scope, ada, "t")
        assert.deepStrictEqual([status, statusReason], ["failed", "gone"])
      }))

    it.effect("what its provider says of an earlier time leaves a token that was registered or changed since", () =>
      Effect.gen(function*() {
        const { devices, patch, register, scope } = yield* start
        yield* register(ada, "again")
        yield* register(ada, "patched")
        yield* register(ada, "old")
        const asOf = yield* Clock.currentTimeMillis
        yield* TestClock.adjust("1 second")
        yield* register(ada, "again")
        yield* patch("patched", [{ op: "add", path: "/device", value: { platform: "ios" } }])
        for (const token of ["again", "patched", "old"]) yield* devices.invalidate(scope, "expo", token, "gone", asOf)
        const statusOf = (token: string) => Effect.map(devices.get(scope, ada, token), ({ status }) => status)
        assert.deepStrictEqual(
          yield* Effect.forEach(["again", "patched", "old"], statusOf),
          ["active", "active", "failed"]
        )
      }))

    it.effect("patch: all operations or none, and the token must still be one", () =>
      Effect.gen(function*() {
        const { devices, patch, register, scope } = yield* start
        yield* register(ada, "t", write("expo", { device: { platform: "ios" }, expiry_date: false }))
        assert.strictEqual(
          yield* patch("t", [
            { op: "replace", path: "/status", value: "revoked" },
            { op: "add", path: "status_reason", value: "signed out" },
            { op: "replace", path: "/device/platform", value: "android" },
            { op: "replace", path: "/expiry_date", value: "2030-01-02T03:04:05Z" }
          ]),
          "done"
        )
        const found = yield* devices.get(scope, ada, "t")
        assert.deepInclude(found, {
          status: "revoked",
          statusReason: "signed out",
          expires: Date.UTC(2030, 0, 2, 3, 4, 5)
        })
        assert.deepStrictEqual(found.details.device, { platform: "android" })
        const refused: ReadonlyArray<PatchOperation> = [
          { op: "replace", path: "/provider_key", value: "fax" },
          { op: "replace", path: "/token", value: "u" },
          { op: "replace", path: "/expiry_date", value: true },
          { op: "replace", path: "/status_reason", value: "\u0000" },
          { op: "remove", path: "/provider_key" },
          { op: "replace", path: "", value: {} }
        ]
        for (const operation of refused) {
          assert.strictEqual(
            yield* patch("t", [{ op: "replace", path: "/status", value: "active" }, operation]),
            "TokenRefused",
            JSON.stringify(operation)
          )
        }
        assert.strictEqual(yield* patch("t", [{ op: "test", path: "/status", value: "active" }]), "PatchRefused")
        assert.strictEqual(yield* patch("none", []), "TokenNotFound")
        assert.deepStrictEqual(yield* devices.get(scope, ada, "t"), found)
      }))

    it.effect("P10: environments do not share tokens", () =>
      Effect.gen(function*() {
        const { devices, names, reached, register, scope } = yield* start
        const elsewhere = yield* start
        yield* register(ada, "t")
        yield* elsewhere.register(bob, "t")
        assert.deepStrictEqual([yield* names(ada), yield* elsewhere.names(bob)], [["t"], ["t"]])
        yield* elsewhere.devices.invalidate(elsewhere.scope, "expo", "t", "gone")
        assert.deepStrictEqual([yield* reached(ada), yield* elsewhere.reached(bob)], [["t"], []])
        yield* elsewhere.devices.remove(elsewhere.scope, bob, "t")
        assert.strictEqual((yield* devices.get(scope, ada, "t")).status, "active")
      }))
  })
