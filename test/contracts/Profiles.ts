import * as JsonKeys from "#layers/JsonKeys.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import { type Profile, UserId } from "#schemas/Profile.ts"
import { longestProfile, Profiles } from "#src/people/Profiles.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"

// As every server does: keys with escapes come back as they were.
JsonKeys.install()

const few = { arbitrary: { runs: 15 } }
const proto: Profile = { ...Fixture.withProto, nested: Fixture.withProto }

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const profiles = yield* Profiles
  const found = Effect.map(profiles.find(scope, Fixture.user), Option.getOrUndefined)
  const patched = Effect.fnUntraced(function*(stored: Profile, operations: ReadonlyArray<PatchOperation>) {
    yield* profiles.replace(scope, Fixture.user, stored)
    const exit = yield* Effect.result(profiles.patch(scope, Fixture.user, operations))
    return { outcome: exit._tag === "Success" ? "done" : exit.failure._tag, profile: yield* found }
  })
  return { scope, profiles, found, patched }
})

/** What every store of profiles promises. */
export const profilesContract = <E>(name: string, stores: Layer.Layer<Profiles, E>) =>
  layer(stores)(`Profiles: ${name}`, (it) => {
    it.effect("an unknown user has none", () =>
      Effect.gen(function*() {
        assert.isUndefined(yield* (yield* start).found)
      }))

    it.effect("P10: another environment's user of the same id is another user", () =>
      Effect.gen(function*() {
        const { profiles, scope } = yield* start
        const elsewhere = yield* start
        yield* profiles.replace(scope, Fixture.user, { a: 1 })
        assert.isUndefined(yield* elsewhere.found)
        yield* elsewhere.profiles.remove(elsewhere.scope, Fixture.user)
        assert.deepStrictEqual(yield* profiles.find(scope, Fixture.user), Option.some({ a: 1 }))
      }))

    it.effect("lookups made at once each get their own answer", () =>
      Effect.gen(function*() {
        const { profiles, scope } = yield* start
        const users = Array.from({ length: 40 }, (_, n) => UserId.make(`user ' ${n % 20}`))
        yield* Effect.forEach(users.slice(0, 10), (user) => profiles.replace(scope, user, { user }))
        const found = yield* Effect.forEach(users, (user) => profiles.find(scope, user), { concurrency: "unbounded" })
        const expected = users.map((user) => users.indexOf(user) < 10 ? Option.some({ user }) : Option.none())
        assert.deepStrictEqual(found, expected)
      }))

    it.effect("replace keeps only what was sent", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        yield* profiles.replace(scope, Fixture.user, { a: 1, b: { c: 2 } })
        yield* profiles.replace(scope, Fixture.user, { b: {} })
        assert.deepStrictEqual(yield* found, { b: {} })
      }))

    it.effect.prop(
      "any profile comes back as it was",
      { profile: Schema.Record(Schema.String, Schema.Json) },
      ({ profile }) =>
        Effect.gen(function*() {
          const { found, profiles, scope } = yield* start
          yield* profiles.replace(scope, Fixture.user, profile)
          assert.strictEqual(JSON.stringify(yield* found), JSON.stringify(profile))
          assert.deepStrictEqual(
            yield* profiles.document(scope, Fixture.user),
            Option.some(JSON.stringify({ profile }))
          )
        }),
      few
    )

    it.effect("hostile text survives replace and merge", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        yield* profiles.replace(scope, Fixture.user, Fixture.hostile)
        yield* profiles.merge(scope, Fixture.user, { more: Fixture.hostile })
        assert.strictEqual(JSON.stringify(yield* found), JSON.stringify({ ...Fixture.hostile, more: Fixture.hostile }))
      }))

    it.effect("merge creates, goes deep into objects, and replaces arrays, scalars and nulls", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        yield* profiles.merge(scope, Fixture.user, { a: { b: 1, c: [1, 2] }, d: 1, e: { f: 1 }, g: [1] })
        yield* profiles.merge(scope, Fixture.user, { a: { c: [3], n: null }, d: { x: 1 }, e: "text", g: null })
        assert.deepStrictEqual(yield* found, { a: { b: 1, c: [3], n: null }, d: { x: 1 }, e: "text", g: null })
      }))

    it.effect("merges made at once all count", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        const names = Array.from({ length: 16 }, (_, n) => `k${n}`)
        yield* Effect.forEach(names, (name) => profiles.merge(scope, Fixture.user, { all: { [name]: 1 } }), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(yield* found, { all: Object.fromEntries(names.map((name) => [name, 1])) })
      }))

    it.effect("__proto__ is a key like any other", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        yield* profiles.merge(scope, Fixture.user, proto)
        yield* profiles.merge(scope, Fixture.user, Object.fromEntries([["__proto__", { more: 1 }]]))
        const merged = Object.fromEntries([...Object.entries(proto), ["__proto__", { polluted: true, more: 1 }]])
        assert.strictEqual(JSON.stringify(yield* found), JSON.stringify(merged))
        assert.isUndefined(Reflect.get({}, "polluted"))
        assert.isUndefined(Reflect.get({}, "more"))
      }))

    it.effect("patch: add, replace, remove, move, copy and test", () =>
      Effect.gen(function*() {
        const { patched } = yield* start
        const result = yield* patched({ a: 1, list: [1, 2], "x/y~z": { k: true }, old: "v" }, [
          { op: "test", path: "/x~1y~0z/k", value: true },
          { op: "replace", path: "/a", value: [] },
          { op: "add", path: "/list/1", value: "in" },
          { op: "add", path: "/list/-", value: "last" },
          { op: "remove", path: "/x~1y~0z/k" },
          { op: "move", from: "/old", path: "/fresh" },
          { op: "copy", from: "/list/0", path: "/first" }
        ])
        assert.deepStrictEqual(result, {
          outcome: "done",
          profile: { a: [], list: [1, "in", 2, "last"], "x/y~z": {}, fresh: "v", first: 1 }
        })
      }))

    const refused: Record<string, PatchOperation> = {
      "a test that does not hold": { op: "test", path: "/a", value: 2 },
      "a removal of nothing": { op: "remove", path: "/none" },
      "a replacement of nothing": { op: "replace", path: "/none", value: 1 },
      "an index beyond the end": { op: "add", path: "/list/9", value: 1 },
      "a parent that is not there": { op: "add", path: "/no/where", value: 1 },
      "a profile that is no object": { op: "replace", path: "", value: [] },
      "a move of nothing": { op: "move", from: "/none", path: "/b" },
      "a move into itself": { op: "move", from: "/o", path: "/o/p" },
      "an inherited member": { op: "test", path: "/constructor/name", value: "Object" }
    }
    for (const [reason, operation] of Object.entries(refused)) {
      it.effect(`patch: ${reason} refuses it, and nothing before it counts`, () =>
        Effect.gen(function*() {
          const { patched } = yield* start
          const stored = { a: 1, list: [1], o: {} }
          const result = yield* patched(stored, [{ op: "add", path: "/before", value: 1 }, operation])
          assert.deepStrictEqual(result, { outcome: "PatchRefused", profile: stored })
        }))
    }

    it.effect("patch: __proto__ in a pointer reaches no prototype", () =>
      Effect.gen(function*() {
        const { found, patched } = yield* start
        yield* patched({ a: {} }, [{ op: "add", path: "/a/__proto__/polluted", value: 1 }])
        assert.strictEqual(JSON.stringify(yield* found), "{\"a\":{}}")
        yield* patched(proto, [{ op: "add", path: "/__proto__/added", value: 1 }])
        assert.isUndefined(Reflect.get({}, "polluted"))
        assert.isUndefined(Reflect.get({}, "added"))
      }))

    it.effect("patch: an unknown user is not found, and is not created", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        const error = yield* Effect.flip(profiles.patch(scope, Fixture.user, [{ op: "add", path: "/a", value: 1 }]))
        assert.strictEqual(error._tag, "ProfileNotFound")
        assert.isUndefined(yield* found)
      }))

    it.effect("patches made at once all count", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        yield* profiles.replace(scope, Fixture.user, { list: [] })
        yield* Effect.forEach(Array.from({ length: 12 }), () =>
          profiles.patch(scope, Fixture.user, [{ op: "add", path: "/list/-", value: 1 }]), { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* found, {
          list: Array.from({ length: 12 }, () =>
            1)
        })
      }))

    it.effect("what is added to a profile makes it no longer than a request", () =>
      Effect.gen(function*() {
        const { found, patched, profiles, scope } = yield* start
        const half = "x".repeat(longestProfile / 2)
        yield* profiles.merge(scope, Fixture.user, { half })
        const merged = yield* Effect.flip(profiles.merge(scope, Fixture.user, { more: half }))
        assert.strictEqual(merged._tag, "ProfileTooLong")
        const stored = yield* patched({ half }, [{ op: "add", path: "/more", value: half }])
        assert.deepStrictEqual(stored, { outcome: "ProfileTooLong", profile: { half } })
        yield* profiles.merge(scope, Fixture.user, { half: "short" })
        assert.deepStrictEqual(yield* found, { half: "short" })
      }))

    it.effect("a profile is known as it was at a time until it changes", () =>
      Effect.gen(function*() {
        const { profiles, scope } = yield* start
        const at = yield* Clock.currentTimeMillis
        const seen = Effect.forEach(
          [-1, 0, 1],
          (after) => Effect.map(profiles.asOf(scope, Fixture.user, at + after), Option.getOrUndefined)
        )
        const nobody = [undefined, undefined, undefined]
        assert.deepStrictEqual(yield* seen, nobody)
        yield* profiles.replace(scope, Fixture.user, { a: 1 })
        assert.deepStrictEqual(yield* seen, [undefined, { a: 1 }, { a: 1 }])
        const writes = [
          profiles.merge(scope, Fixture.user, { b: 2 }),
          profiles.patch(scope, Fixture.user, [{ op: "remove", path: "/b" }]),
          profiles.replace(scope, Fixture.user, { c: 3 })
        ]
        for (const write of writes) {
          yield* TestClock.adjust("1 minute")
          yield* write
          assert.deepStrictEqual(yield* seen, nobody)
          const now = yield* Clock.currentTimeMillis
          assert.isTrue(Option.isSome(yield* profiles.asOf(scope, Fixture.user, now)))
        }
        const last = yield* Clock.currentTimeMillis
        yield* TestClock.adjust("1 minute")
        yield* profiles.replace(scope, Fixture.user, { c: 3 })
        yield* profiles.merge(scope, Fixture.user, { c: 3 })
        assert.deepStrictEqual(yield* profiles.asOf(scope, Fixture.user, last), Option.some({ c: 3 }))
        yield* profiles.remove(scope, Fixture.user)
        assert.isTrue(Option.isNone(yield* profiles.asOf(scope, Fixture.user, Number.MAX_SAFE_INTEGER)))
      }))

    it.effect("remove forgets, and again changes nothing", () =>
      Effect.gen(function*() {
        const { found, profiles, scope } = yield* start
        yield* profiles.replace(scope, Fixture.user, { a: 1 })
        yield* profiles.remove(scope, Fixture.user)
        yield* profiles.remove(scope, Fixture.user)
        assert.isUndefined(yield* found)
        yield* profiles.merge(scope, Fixture.user, { b: 2 })
        assert.deepStrictEqual(yield* found, { b: 2 })
      }))
  })
