import type { Recipient } from "#schemas/Recipient.ts"
import { Scope } from "#schemas/Scope.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import * as Addressing from "#src/delivery/intake/Addressing.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { shardOf } from "#src/delivery/shards/ShardCount.ts"
import { id } from "#test/src/delivery/attempts/position/Positions.ts"
import { assert, describe, it } from "@effect/vitest"

const scope = Scope.make(1)
const hour = 3_600_000

const request = (instructions: Instructions) => ({ id, scope, keyState: "draft", instructions, acceptedAt: 0 }) as const

const member = (recipient: Recipient, instructions: Instructions = {}) => {
  const identity = Recipients.identify(scope, recipient)
  assert.isDefined(identity)
  return { identity, found: Addressing.member(request(instructions), id, recipient, identity, 64) }
}

describe("Addressing", () => {
  it("a message is in the tenant that is named nearest to its recipient", () => {
    const everywhere: ReadonlyArray<readonly [string, Recipient, Instructions]> = [
      ["a", { tenant_id: "a" }, {}],
      ["b", { account_id: "b" }, {}],
      ["c", { context: { tenant_id: "c" } }, {}],
      ["d", {}, { context: { tenant_id: "d" } }],
      ["e", {}, { tenant_id: "e" }]
    ]
    for (const [index, [tenantId]] of everywhere.entries()) {
      const named = everywhere.slice(index)
      const recipient: Recipient = Object.assign({ user_id: "ada" }, ...named.map(([, recipient]) => recipient))
      const { found } = member(recipient, Object.assign({}, ...named.map(([, , instructions]) => instructions)))
      assert.strictEqual(found.tenantId, tenantId)
      assert.strictEqual(found.recipient.tenant_id, tenantId)
    }
    const { found } = member({ user_id: "ada" })
    assert.isUndefined(found.tenantId)
    assert.notProperty(found.recipient, "tenant_id")
  })

  it("a message is in its mailbox's shard, under its mailbox's key", () => {
    for (const userId of ["ada", "bob", "carol"]) {
      const { found, identity } = member({ user_id: userId })
      assert.deepInclude(found, { recipientKey: identity.key, shard: shardOf(identity.key, 64) })
    }
  })

  it("only who is known by an id is a user to be created", () => {
    assert.deepStrictEqual(
      Addressing.profiles(scope, { user_id: "ada", email: "ada@example.com" }),
      [{ scope, userId: "ada", profile: { email: "ada@example.com" } }]
    )
    assert.deepStrictEqual(Addressing.profiles(scope, { email: "ada@example.com" }), [])
  })

  it("of a user to be created all is kept but what belongs to the send alone, and what is not given", () => {
    const profile = { email: "ada@example.com", slack: { channel: "C" }, locale: "de", custom: { a: [1, null] } }
    const own = {
      account_id: "a",
      context: { tenant_id: "b" },
      data: { code: "4711" },
      list_id: "l",
      preferences: { notifications: { news: { status: "OPTED_OUT" } } },
      tenant_id: "c"
    } as const
    assert.deepStrictEqual(
      Addressing.profiles(scope, { user_id: "ada", phone_number: null, ...profile, ...own }),
      [{ scope, userId: "ada", profile }]
    )
  })

  it("messages are known by what the send calls its event, else by its template", () => {
    const names = (instructions: Instructions) => {
      const { event, tags, template, traceId } = Addressing.common(request(instructions), "bulk", 0)
      return { event, tags, template, traceId }
    }
    assert.deepStrictEqual(names({ template: "nt", metadata: { event: "welcome", tags: ["t"], trace_id: "trace" } }), {
      event: "welcome",
      tags: ["t"],
      template: "nt",
      traceId: "trace"
    })
    assert.deepInclude(names({ template: "nt" }), { event: "nt", template: "nt" })
    assert.deepStrictEqual(names({}), { event: "", tags: [], template: "", traceId: undefined })
  })

  it("a delay counts from the request's acceptance, and is none for messages that are made after its end", () => {
    const made = (at: number, instructions: Instructions = { delay: { duration: hour } }) =>
      Addressing.common(request(instructions), "bulk", at)
    assert.deepInclude(made(hour - 1), { status: "DELAYED", dueAt: hour, enqueuedAt: hour - 1, keyState: "draft" })
    assert.deepInclude(made(hour), { status: "ENQUEUED", dueAt: 0, enqueuedAt: hour })
    assert.deepInclude(made(7, {}), { status: "ENQUEUED", dueAt: 0 })
  })
})
