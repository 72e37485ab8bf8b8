import { MessageId } from "#schemas/MessageId.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Paging from "#src/delivery/Paging.ts"
import type { Members } from "#src/people/Members.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const members: Members["Service"] = {
  exists: () => Effect.succeed(true),
  page: () => Effect.succeed([{ group: "", userId: "ada", listId: "l" }])
}

const pageOf = (recipients: ReadonlyArray<Recipient>) => {
  const id = MessageId.make("1-67890abc-0123456789abcdef01234567")
  const request = { id, scope: Scope.make(1), keyState: "published", instructions: {}, acceptedAt: 0 } as const
  return Paging.next({ request, recipients, place: { index: 0 }, at: 0, shards: 4, members })
}

describe("Pages of a request to many", () => {
  it.effect("who is met twice is one message and one profile, as first named", () =>
    Effect.gen(function*() {
      const first = { user_id: "bob", email: "first@example.com" }
      const { page } = yield* pageOf([first, { user_id: "bob", email: "second@example.com" }])
      assert.deepStrictEqual(page.members.map(({ recipient }) => recipient), [first])
      assert.deepStrictEqual(page.profiles.map(({ profile }) => profile), [{ email: "first@example.com" }])
    }))

  it.effect("a member who is also named by itself is one message of the group, and has a profile", () =>
    Effect.gen(function*() {
      const { page } = yield* pageOf([{ list_id: "l" }, { user_id: "ada", email: "ada@example.com" }])
      assert.deepStrictEqual(page.members.map(({ recipient }) => recipient), [{ user_id: "ada", list_id: "l" }])
      assert.deepStrictEqual(page.profiles.map(({ profile }) => profile), [{ email: "ada@example.com" }])
    }))
})
