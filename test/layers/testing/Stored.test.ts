import type { Given } from "#layers/testing/Given.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"

const given: Given = {
  profiles: { ada: { email: "ada@x.test" }, bob: { email: "bob@x.test" } },
  topics: { news: { name: "News", default_status: "OPTED_IN" }, law: { name: "Law", default_status: "REQUIRED" } },
  tenants: { acme: { name: "Acme" } }
}

const news = (user: string): Parameters<Simulation.World["send"]>[0] => ({
  to: { user_id: user },
  content: { title: "News", body: "Today" },
  routing: { method: "all", channels: ["inbox", "email"] },
  preferences: { subscription_topic_id: "news" }
})

describe("what is stored in a world", () => {
  it("is told after the last step, whatever went wrong: statuses with reasons, inboxes, preferences", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* world.change({ _tag: "Prefer", userId: "bob", topicId: "news", status: "OPTED_OUT" })
      for (const user of ["ada", "bob"]) yield* world.send(news(user), { key: `news-${user}` })
      yield* world.send(news("ada"), { key: "elsewhere", environment: 2 })
    })
    for (let seed = 1; seed <= 20; seed++) {
      const { failure, requests, stored } = Simulation.run(seed, story, { given })
      assert.strictEqual(failure, undefined)
      const [ofAda = "", ofBob = "", elsewhere = ""] = requests.map(({ requestId }) => requestId)
      assert.deepStrictEqual(
        stored.messages().map(({ id, reason, status, userId }) => [id, userId, status, reason]),
        [[ofAda, "ada", "SENT", undefined], [ofBob, "bob", "UNDELIVERABLE", "UNSUBSCRIBED"]]
      )
      assert.deepStrictEqual(stored.message(ofBob), stored.messages()[1])
      assert.deepStrictEqual(
        [stored.message(elsewhere), stored.message(elsewhere, { environment: 2 })?.status, stored.message("nonsense")],
        [undefined, "SENT", undefined]
      )
      assert.deepStrictEqual(stored.inbox("ada").map(({ messageId }) => String(messageId)), [ofAda])
      assert.deepStrictEqual(stored.inbox("bob"), [])
      assert.strictEqual(stored.preferences("bob").get("news")?.status, "OPTED_OUT")
      assert.strictEqual(stored.preferences("bob", { environment: 2 }).size, 0)
      assert.strictEqual(stored.preferences("ada").size, 0)
    }
  })

  it("can be read by a story under way, which waits for what it wants to see", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      const { requestId = "" } = yield* world.send({ ...news("ada"), delay: { duration: 60_000 } }, { key: "later" })
      assert.strictEqual(world.stored.message(requestId)?.sent, undefined)
      yield* Effect.suspend(() =>
        world.stored.message(requestId)?.status === "SENT" ? Effect.void : Effect.fail("not yet")
      )
        .pipe(Effect.retry(Schedule.spaced("1 second")))
      yield* world.resend(requestId, { key: "again" })
    })
    const { failure, stored } = Simulation.run(1, story, { given })
    assert.deepStrictEqual([failure, stored.inbox("ada").length], [undefined, 2])
  })

  it("changes as the API lets it: in a tenant, and not where that refuses", () => {
    const answers: Array<boolean> = []
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      const changes: ReadonlyArray<Simulation.Change> = [
        { _tag: "Prefer", userId: "ada", topicId: "news", tenantId: "acme", status: "OPTED_OUT" },
        { _tag: "Prefer", userId: "ada", topicId: "law", status: "OPTED_OUT" },
        { _tag: "Subscribe", listId: "crew", userId: "ada" },
        { _tag: "Unsubscribe", listId: "crew", userId: "ada" },
        { _tag: "Unsubscribe", listId: "crew", userId: "ada" },
        { _tag: "Leave", tenantId: "acme", userId: "ada" }
      ]
      for (const change of changes) answers.push(yield* world.change(change))
    })
    const { changes, failure, stored } = Simulation.run(1, story, { given })
    assert.strictEqual(failure, undefined)
    assert.deepStrictEqual(answers, [true, false, true, true, false, true])
    assert.strictEqual(changes.length, 4)
    assert.deepStrictEqual([...stored.preferences("ada").keys()], [])
    assert.strictEqual(stored.preferences("ada", { tenantId: "acme" }).get("news")?.status, "OPTED_OUT")
  })
})
