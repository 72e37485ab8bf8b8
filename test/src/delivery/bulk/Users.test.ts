import { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import * as Users from "#src/delivery/bulk/Users.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const scope = Scope.make(1)
const recipientOf = (user: Parameters<typeof Users.addressee>[1]) =>
  Effect.map(Users.addressee(scope, user), ({ recipient }) => recipient)

describe("users of a bulk job", () => {
  it.effect("are known by recipient, by to and by their profile, and what is nearer to the user stands", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* recipientOf({ recipient: "ada", to: { user_id: "bob", email: "a@example.com" } }), {
        user_id: "ada",
        email: "a@example.com"
      })
      assert.deepStrictEqual(
        yield* recipientOf({ profile: { email: "old@example.com", name: "Ada" }, to: { email: "new@example.com" } }),
        { email: "new@example.com", name: "Ada" }
      )
      assert.deepStrictEqual(yield* recipientOf({ profile: { email: "a@example.com" }, to: { email: null } }), {
        email: "a@example.com"
      })
    }))

  it.effect("keep what is theirs alone: data, in which the user's stands over to's, and preferences", () =>
    Effect.gen(function*() {
      const preferences = { notifications: { news: { status: "OPTED_OUT" as const } } }
      const user = { to: { user_id: "ada", data: { a: 1, b: 1 } }, data: { b: 2 }, preferences }
      assert.deepStrictEqual(yield* recipientOf(user), { user_id: "ada", data: { a: 1, b: 2 }, preferences })
      const given = { user_id: "ada", data: { a: 1 } }
      assert.deepStrictEqual(yield* recipientOf({ to: given }), given)
      assert.deepStrictEqual(yield* recipientOf({ recipient: "ada", data: { a: 1 } }), given)
    }))

  it.effect("who is nobody, a group, or cannot be stored, is told so", () =>
    Effect.gen(function*() {
      for (
        const [user, words] of [
          [{}, /one of recipient/],
          [{ profile: { name: "Ada" } }, /one of recipient/],
          [{ profile: { email: 5 } }, /^profile\.email: Expected string/],
          [{ profile: { user_id: "a".repeat(513) } }, /^profile\.user_id: Expected a length of at most 512/],
          [
            { profile: { context: { tenant_id: "" } }, recipient: "ada" },
            /^profile\.context\.tenant_id: Must not be empty/
          ],
          [{ to: { list_pattern: "**" } }, /^to\.list_pattern: The pattern/],
          [{ profile: { list_pattern: "**" } }, /^profile\.list_pattern: The pattern/],
          [{ to: { list_id: "everyone" } }, /one person/],
          [{ to: { user_id: "ada", audience_id: "everyone" } }, /one person/],
          [{ profile: { email: "a\ud800@example.com" } }, /profile/],
          [{ to: { webhook: { url: "https://example.com/\ud800" } } }, /^to\.webhook: Expected text/],
          [{ to: { webhook: { url: "https://example.com/".padEnd(3_000, "é") } } }, /^to or profile: .* bytes/]
        ] as const
      ) {
        const { detail } = yield* Effect.flip(Users.addressee(scope, user))
        assert.match(detail, words)
      }
    }))

  it.effect("why nothing can be sent to a user is text that a store takes, whatever the user's keys are called", () =>
    Effect.gen(function*() {
      for (const key of ["\u0000x", "\ud800", `${"a".repeat(951)}${"😀".repeat(100)}`, "a".repeat(5_000)]) {
        const { error } = yield* Users.of(scope, { profile: { preferences: { notifications: { [key]: 1 } } } })
        assert.isTrue(error !== undefined && Text.isStorable(error) && error.length <= 1_000, key.slice(0, 20))
      }
    }))

  it.effect("one person is one key however it is written, and what is nobody the same at each repeat", () =>
    Effect.gen(function*() {
      const keyOf = (user: Parameters<typeof Users.of>[1]) => Effect.map(Users.of(scope, user), ({ key }) => key)
      assert.strictEqual(
        yield* keyOf({ to: { email: "Ada@EXAMPLE.com" } }),
        yield* keyOf({ profile: { email: "Ada@example.com", name: "Ada" } })
      )
      assert.strictEqual(
        yield* keyOf({ to: { phone_number: "+49 (30) 90-1820" } }),
        yield* keyOf({ profile: { phone_number: "+4930901820" } })
      )
      assert.strictEqual(yield* keyOf({ data: { n: 1 } }), yield* keyOf({ data: { n: 1 } }))
      assert.notStrictEqual(yield* keyOf({ data: { n: 1 } }), yield* keyOf({ data: { n: 2 } }))
    }))
})
