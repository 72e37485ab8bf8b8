import { none } from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content = { title: "Hello", body: "Ada" }
const given: Simulation.Given = {
  profiles: {
    ada: { email: "ada@old.test", plan: "pro" },
    bob: { email: "bob@x.test", plan: "pro" },
    cleo: { email: "cleo@x.test", plan: "free" }
  },
  audiences: { pros: { filter: { operator: "EQ", path: "plan", value: "pro" } } },
  topics: ["news"]
}

/** What broke the story off that makes this change, in one line. */
const refusal = (change: unknown): string | undefined =>
  Simulation.run(1, ({ change: make }) => Reflect.apply(make, undefined, [change]), { given, faults: none }).failure
    ?.split("\n")[0]

describe("a profile that changes while messages wait", () => {
  it("is where they go, and who is deleted gets none", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      for (const user_id of ["ada", "bob"]) {
        yield* world.send({
          to: { user_id },
          content,
          routing: { method: "single", channels: ["email"] },
          delay: { duration: 600_000 }
        }, { key: user_id })
      }
      yield* world.change({ _tag: "PutProfile", userId: "ada", profile: { email: "ada@new.test" } })
      yield* world.change({ _tag: "DeleteProfile", userId: "bob" })
    })
    for (const seed of [1, 2, 3]) {
      const { changes, deliveries, failure } = Simulation.run(seed, story, { given })
      assert.deepStrictEqual([failure, changes.length >= 2], [undefined, true])
      assert.deepStrictEqual([...new Set(deliveries.map(({ address }) => address))], ["ada@new.test"])
    }
  })

  it("makes its user a member of an audience, or ends that", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* world.change({ _tag: "PutProfile", userId: "cleo", profile: { email: "cleo@x.test", plan: "pro" } })
      yield* world.change({ _tag: "DeleteProfile", userId: "bob" })
      yield* world.send({ to: { audience_id: "pros" }, content }, { key: "pros" })
    })
    const { stored } = Simulation.run(1, story, { given, faults: none })
    assert.sameMembers(stored.messages().map(({ userId }) => userId), ["ada", "cleo"])
  })
})

/** What each got, by its address, in the order in which it came. */
const said = ({ deliveries }: Simulation.History, word: RegExp) =>
  deliveries.map(({ address, text }) => [address, word.exec(text)?.[0]])

describe("what operators change while messages wait", () => {
  const text = (content: string) => ({ elements: [{ type: "text", content }] })
  const furnished: Simulation.Given = {
    profiles: {
      ada: { email: "ada@x.test", plan: "pro", locale: "de-AT" },
      bob: { email: "bob@x.test", plan: "free" }
    },
    templates: { weekly: text("First") },
    audiences: { chosen: { filter: { operator: "EQ", path: "plan", value: "pro" } } },
    tenants: { acme: { name: "Acme", members: ["ada"] } }
  }
  const mail = { method: "single" as const, channels: ["email"] }
  const live = (story: Simulation.Story) => {
    const history = Simulation.run(1, story, { given: furnished, faults: none })
    assert.strictEqual(history.failure, undefined)
    return history
  }

  it("a template that is published again says the new, and one that is archived nothing", () => {
    const history = live(Effect.fnUntraced(function*({ change, send }) {
      const weekly = { to: { user_id: "ada" }, template: "weekly", routing: mail }
      yield* send({ ...weekly, delay: { duration: 600_000 } })
      assert.isTrue(yield* change({ _tag: "Publish", templateId: "weekly", template: text("Second") }))
      yield* Effect.sleep("1 hour")
      assert.isTrue(yield* change({ _tag: "Archive", templateId: "weekly" }))
      assert.isFalse(yield* change({ _tag: "Publish", templateId: "weekly", template: text("Third") }))
      yield* send(weekly)
    }))
    assert.deepStrictEqual(said(history, /First|Second|Third/), [["ada@x.test", "Second"]])
    assert.deepStrictEqual(history.stored.messages().map(({ status }) => status), ["SENT", "UNMAPPED"])
  })

  it("an audience is who its filter asks for now, and one that is made under way is there", () => {
    const { deliveries } = live(Effect.fnUntraced(function*({ change, send }) {
      const filter = (value: string) => ({ filter: { operator: "EQ" as const, path: "plan", value } })
      yield* change({ _tag: "PutAudience", audienceId: "chosen", audience: filter("free") })
      yield* send({ to: { audience_id: "chosen" }, content, routing: mail })
      yield* change({ _tag: "PutAudience", audienceId: "made", audience: filter("pro") })
      yield* Effect.sleep("1 minute")
      yield* send({ to: { audience_id: "made" }, content, routing: mail })
      yield* Effect.sleep("1 minute")
      yield* change({ _tag: "DeleteAudience", audienceId: "made" })
      yield* send({ to: { audience_id: "made" }, content, routing: mail })
    }))
    assert.deepStrictEqual(deliveries.map(({ address }) => address), ["bob@x.test", "ada@x.test"])
  })

  it("a tenant says what was written last, can be made and joined, and has nobody once it is deleted", () => {
    const history = live(Effect.fnUntraced(function*({ change, send }) {
      const tenant = (greeting: string) => ({ name: "Acme", properties: { greeting } })
      const greet = (id: string) =>
        send({ to: { tenant_id: id }, content: { ...content, body: "{{tenant.properties.greeting}}" }, routing: mail })
      yield* change({ _tag: "PutTenant", tenantId: "acme", tenant: tenant("Ahoy") })
      yield* greet("acme")
      yield* change({ _tag: "PutTenant", tenantId: "team", tenant: tenant("Servus") })
      yield* change({ _tag: "Join", tenantId: "team", userId: "bob" })
      yield* Effect.sleep("1 minute")
      yield* greet("team")
      yield* Effect.sleep("1 minute")
      yield* change({ _tag: "DeleteTenant", tenantId: "acme" })
      yield* greet("acme")
    }))
    assert.deepStrictEqual(said(history, /Ahoy|Servus/), [["ada@x.test", "Ahoy"], ["bob@x.test", "Servus"]])
    assert.strictEqual(history.stored.messages().at(-1)?.status, "UNROUTABLE")
  })
})

describe("a preference that names channels", () => {
  it("is how the topic reaches its user from then on", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*({ change, send }) {
      const hello = send({
        to: { user_id: "ada" },
        content: { title: "Hello", body: "Ada" },
        routing: { method: "all", channels: ["email", "sms"] },
        preferences: { subscription_topic_id: "news" }
      })
      yield* hello
      yield* Effect.sleep("1 minute")
      const said = { topicId: "news", status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] } as const
      assert.isTrue(yield* change({ _tag: "Prefer", userId: "ada", ...said }))
      yield* hello
    })
    const { calls, failure, stored } = Simulation.run(1, story, {
      faults: none,
      given: {
        profiles: { ada: { email: "ada@x.test", phone_number: "+15550100001" } },
        topics: { news: { name: "News", default_status: "OPTED_IN", allowed_preferences: ["channel_preferences"] } }
      }
    })
    assert.strictEqual(failure, undefined)
    assert.sameMembers(calls.slice(0, 2).map(({ channel }) => channel), ["email", "sms"])
    assert.deepStrictEqual(calls.slice(2).map(({ channel }) => channel), ["sms"])
    assert.deepInclude(stored.preferences("ada").get("news"), { has_custom_routing: true, custom_routing: ["sms"] })
  })
})

describe("a change that can have no effect", () => {
  it("is told in a sentence", () => {
    const wrong: ReadonlyArray<readonly [change: unknown, sentence: string]> = [
      [{ _tag: "Prefer", topicId: "news", status: "OPTED_OUT" }, "names a user by what is no id"],
      [{ _tag: "Subscribe", userId: "ada" }, "names a list by what is no id"],
      [{ _tag: "Prefer", userId: "ada", topicId: "news", status: "OUT" }, "names a status that is neither OPTED_IN"],
      [
        { _tag: "PutProfile", userId: "ada", profile: { profile: { email: "ada@x.test" } } },
        "names a profile that no user has: .ada has its fields within profile, where nobody looks for them"
      ],
      [{ _tag: "PutProfile", userId: "ada" }, "names a profile that no user has: .ada is refused"],
      [{ _tag: "Publish", templateId: "gone", template: { elements: [] } }, "names a template that is none of"],
      [{ _tag: "Publish", templateId: "gone", template: {} }, "names a template that is none: .gone is refused"],
      [
        { _tag: "PutTenant", tenantId: "acme", tenant: { name: "Acme", members: ["ada"] } },
        "names a tenant that is none: .acme has members, which is none of name,"
      ],
      [{ _tag: "PutAudience", audienceId: "pros", audience: { filter: { operator: "EQ" } } }, "names an audience that"],
      [{ _tag: "Translate", locale: "a b", po: "" }, "names a locale by what is no id"],
      [{ _tag: "PutToken", userId: "ada", token: "t", device: {} }, "names a device that is none: .t is refused"],
      [
        { _tag: "PutSendLimit", per: "user", period: "day", limit: {} },
        "names a send limit that is none: .user/day is refused: Expected a limit, or overrides"
      ],
      [{ _tag: "DeleteSendLimit", per: "user", period: "year" }, "names a send limit that is none"],
      [
        { _tag: "Prefer", userId: "ada", topicId: "news", status: "OPTED_OUT", tenant_id: "acme" },
        "The change Prefer has tenant_id, which is none of _tag, userId, topicId, status, tenantId"
      ],
      [
        { _tag: "Prefer", userId: "ada", topicId: "news", status: "OPTED_IN", custom_routing: ["fax"] },
        "names a preference that is none: custom_routing[0]: Expected "
      ],
      [{ _tag: "Join", tenantId: "acme", userId: "ada", profile: {} }, "The change Join has profile, which is none of"],
      [{ _tag: "Resume", requestId: "bulk" }, "names a request by what is no id"],
      [null, `A change has to be an object such as { _tag: "DeleteProfile", userId: "ada" }, and is of type Null`]
    ]
    for (const [change, sentence] of wrong) assert.include(refusal(change), sentence)
  })
})
