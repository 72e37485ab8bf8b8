import { none } from "#layers/testing/Faults.ts"
import type { Given } from "#layers/testing/Given.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import type { VendorOptions } from "#layers/testing/VendorOptions.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const given: Given = {
  profiles: {
    ada: { email: "ada@x.test", phone_number: "+15550100001" },
    bob: { email: "bob@x.test", phone_number: "+15550100002" }
  }
}
const down = { from: 10_000, until: 40_000 }
const vendors: ReadonlyArray<VendorOptions> = [
  { key: "text", channel: "sms", address: "phone_number", rejects: ["+15550100002"], down: [down] },
  { key: "mail", channel: "email", address: "email" }
]

/** A one-time password, by text and else by mail. */
const password = (world: Simulation.World, user: string) =>
  world.send({
    to: { user_id: user },
    content: { title: "Code", body: "4711" },
    routing: { method: "single", channels: ["sms", "email"] },
    metadata: { tags: ["otp"] }
  }, { key: user })

describe("a provider of a world", () => {
  it("takes nothing while it is down, and never anything for an address that it rejects; the others do", () => {
    const story: Simulation.Story = (world) =>
      Effect.forEach(["ada", "bob"], (user) => Effect.delay(password(world, user), world.chance.int(0, 60_000)), {
        concurrency: 2
      })
    let [whileDown, rejected, texts] = [0, 0, 0]
    for (let seed = 1; seed <= 60; seed++) {
      const { calls, failure, stored } = Simulation.run(seed, story, { given, vendors })
      assert.strictEqual(failure, undefined)
      for (const { status } of stored.messages()) assert.strictEqual(status, "SENT", `seed ${seed}`)
      for (const { address, calledAt, heard, provider, taken } of calls) {
        const isDown = provider === "text" && calledAt >= down.from && calledAt < down.until
        const isRejected = address === "+15550100002"
        assert.strictEqual(taken, !isDown && !isRejected, `seed ${seed}: ${provider} at ${calledAt}`)
        if (!taken && heard !== undefined) assert.strictEqual(heard, "refused")
        if (isDown) whileDown++
        if (isRejected) rejected++
        if (taken && provider === "text") texts++
      }
    }
    assert.isAbove(Math.min(whileDown, rejected, texts), 5)
  })

  it("comes to the cues of its script only with its other calls", () => {
    const script = [{ _tag: "Refuse", after: 1, kind: "ContentRejected" }] as const
    const mail: VendorOptions = { key: "mail", channel: "email", address: "email", rejects: ["bob@x.test"], script }
    const { calls } = Simulation.run(
      1,
      (world) =>
        Effect.forEach(["bob", "ada"], (user) => Effect.andThen(password(world, user), Effect.sleep("1 minute"))),
      { given: { profiles: { ada: { email: "ada@x.test" }, bob: { email: "bob@x.test" } } }, vendors: [mail] }
    )
    assert.deepStrictEqual(calls.map(({ address, taken }) => [address, taken]).slice(0, 2), [
      ["bob@x.test", false],
      ["ada@x.test", false]
    ])
  })
  it("answers a call by what the call says, and otherwise goes on with its script", () => {
    const answers: NonNullable<VendorOptions["answers"]> = ({ attempt, rendered }) =>
      attempt === 1 ?
        { _tag: "Refuse", after: 5, kind: "RateLimited", retryAfter: 30_000 }
        : rendered.subject.includes("Code") ?
        undefined
        : { _tag: "Refuse", after: 5, kind: "ContentRejected", retryAfter: null }
    const mail: VendorOptions = { key: "mail", channel: "email", address: "email", answers }
    for (let seed = 1; seed <= 10; seed++) {
      const { calls, failure } = Simulation.run(
        seed,
        (world) => Effect.forEach(["ada", "bob"], (user) => password(world, user)),
        { given, vendors: [mail], faults: none }
      )
      assert.strictEqual(failure, undefined)
      const byUser = Map.groupBy(calls, ({ address }) => address)
      assert.strictEqual(byUser.size, 2)
      for (const [first, second, ...more] of byUser.values()) {
        assert.deepStrictEqual([first?.taken, second?.taken, more.length], [false, true, 0], `seed ${seed}`)
        assert.isAtLeast((second?.calledAt ?? 0) - (first?.heardAt ?? 0), 30_000)
      }
    }
  })

  it("gets as many calls at a time of each node as it has connections, and all of them in the end", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      const send = (n: number) =>
        world.send({ to: { email: `${n}@x.test` }, content: { title: "Hello", body: `${n}` } }, { key: `${n}` })
      yield* Effect.forEach([1, 2, 3, 4, 5, 6], send)
      // The settings of another provider change nothing.
      yield* world.change({ _tag: "Configure", provider: "text" })
      yield* Effect.sleep("3 seconds")
      yield* Effect.forEach([7, 8, 9, 10, 11, 12], send)
    })
    const mail: VendorOptions = {
      key: "mail",
      channel: "email",
      address: "email",
      answers: () => ({ _tag: "Accept", after: 5_000 })
    }
    const atOnce = (connections: object) => {
      const { calls, deliveries } = Simulation.run(1, story, {
        vendors: [{ ...mail, ...connections }, { key: "text", channel: "sms", address: "phone_number" }],
        faults: none
      })
      assert.strictEqual(deliveries.length, 12)
      return Math.max(
        ...calls.map(({ calledAt, node }) =>
          calls.filter((other) => other.node === node && other.calledAt <= calledAt && calledAt < (other.heardAt ?? 0))
            .length
        )
      )
    }
    assert.strictEqual(atOnce({ connections: 1 }), 1)
    assert.strictEqual(atOnce({ connections: 2 }), 2)
    assert.isAbove(atOnce({}), 2)
  })

  it("takes as many calls a second as it says, in each environment, and refuses the others until they come again", () => {
    const mail: VendorOptions = { key: "mail", channel: "email", address: "email", perSecond: 3 }
    const story: Simulation.Story = (world) =>
      Effect.forEach(
        [1, 2] as const,
        (environment) =>
          Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], (n) =>
            world.send({ to: { email: `${n}@x.test` }, content: { title: "Hello", body: `${n}` } }, {
              key: `${n}`,
              environment
            }))
      )
    const { calls, deliveries } = Simulation.run(1, story, { vendors: [mail], faults: none })
    assert.strictEqual(deliveries.length, 16)
    const refused = calls.filter(({ taken }) => !taken)
    assert.isAbove(refused.length, 0)
    for (const { heard, retryAfter } of refused) assert.deepStrictEqual([heard, retryAfter], ["refused", 1_000])
    const inItsSecond = deliveries.map(({ calledAt, scope }) =>
      deliveries.filter((other) =>
        other.scope === scope && other.calledAt <= calledAt && calledAt < other.calledAt + 1_000
      ).length
    )
    assert.strictEqual(Math.max(...inItsSecond), 3)
  })

  it("whose answer is none, or that fails to answer, breaks the world off in a sentence", () => {
    const failing = (answers: NonNullable<VendorOptions["answers"]>) =>
      Simulation.run(1, (world) => password(world, "bob"), {
        given,
        vendors: [{ key: "mail", channel: "email", address: "email", answers }]
      }).failure
    const none: object = { _tag: "Reject" }
    assert.strictEqual(
      failing(() => Object.assign({ after: 1 }, none) as never),
      "what answers of the vendor mail gave: Expected one of Accept, Refuse and Lose for its _tag"
    )
    assert.strictEqual(failing(() => assert.fail("oh")), "answers of the vendor mail failed: oh")
  })
})

/** The world of one send, with these vendors, or the usual ones. */
const one = (to: Parameters<Simulation.World["send"]>[0]["to"], own: Simulation.Options = {}, body = "4711") =>
  Simulation.run(1, (world) => world.send({ to, content: { title: "Code", body } }), { faults: none, ...own })

describe("a provider of a world that hangs", () => {
  const hung = { _tag: "Accept", after: 600_000 } as const
  const mail: VendorOptions = { key: "mail", channel: "email", address: "email", script: [hung] }

  it("has the message, and the engine knows nothing of that once its deadline is over, as of a real one", () => {
    for (const deadline of [undefined, 1_000]) {
      const { calls, messages, stored } = one({ email: "ada@x.test" }, {
        vendors: [deadline === undefined ? mail : { ...mail, deadline }]
      })
      const [first, second] = calls
      assert.deepInclude(first, { taken: true, heard: "lost" })
      assert.strictEqual((first?.heardAt ?? 0) - (first?.calledAt ?? 0), deadline ?? 15_000)
      assert.deepInclude(second, { taken: true, heard: "accepted" })
      assert.strictEqual(second?.token, first?.token)
      assert.deepStrictEqual(messages[0]?.attempts.map(({ state }) => state), ["unknown", "accepted"])
      assert.strictEqual(stored.messages()[0]?.status, "SENT")
    }
  })

  it("refuses what it would have refused, which nobody hears; of a connection that was never made one knows", () => {
    const said = (cue: NonNullable<VendorOptions["script"]>[number]) => {
      const [call] = one({ email: "ada@x.test" }, { vendors: [{ ...mail, script: [cue] }] }).calls
      return [call?.taken, call?.heard]
    }
    assert.deepStrictEqual(said({ _tag: "Refuse", after: 20_000, kind: "Unavailable" }), [false, "lost"])
    assert.deepStrictEqual(said({ _tag: "Lose", after: 20_000, taken: false, proved: true }), [false, "refused"])
  })
})

describe("an address of a world", () => {
  it("that is none is refused as by the vendors of the server, without a call", () => {
    const end = (to: Parameters<typeof one>[0]) => {
      const { calls, messages: [message], stored } = one(to)
      assert.isEmpty(calls)
      return [stored.messages()[0]?.status, message?.attempts[0]?.error]
    }
    assert.deepStrictEqual(end({ email: "weird" }), ["UNDELIVERABLE", "Not an e-mail address"])
    assert.deepStrictEqual(end({ phone_number: "0151" }), ["UNDELIVERABLE", "Not a phone number in E.164"])
    assert.lengthOf(one({ phone_number: "+1 (555) 010-0001" }).deliveries, 1)
  })

  it("may be a webhook, which every world calls, and whose answers a vendor may tell", () => {
    const to = { webhook: { url: "https://x.test/hook" } }
    const { deliveries: [call] } = one(to)
    assert.deepInclude(call, { provider: "webhook", channel: "webhook", address: "https://x.test/hook" })
    const refusing: VendorOptions = {
      key: "webhook",
      channel: "webhook",
      address: "webhook",
      rejects: ["https://x.test/hook"]
    }
    const refused = one(to, { vendors: [refusing] })
    assert.strictEqual(refused.stored.messages()[0]?.status, "UNDELIVERABLE")
    assert.lengthOf(refused.calls, 1)
  })

  it("may be a place of a chat, by the words that say which", () => {
    const places: ReadonlyArray<readonly [field: string, to: Simulation.Recipient, address: string]> = [
      ["slack", { slack: { channel: "C1", access_token: "x" } }, "C1"],
      ["slack", { slack: { incoming_webhook: { url: "https://hooks.slack.com/x" } } }, "https://hooks.slack.com/x"],
      ["ms_teams", { ms_teams: { service_url: "https://smba.x.test", conversation_id: "19:a" } }, "19:a"],
      ["ms_teams", { ms_teams: { webhook_url: "https://x.test/flow" } }, "https://x.test/flow"],
      ["discord", { discord: { channel_id: "12345" } }, "12345"],
      ["pagerduty", { pagerduty: { routing_key: "k" } }, "k"]
    ]
    for (const [field, to, address] of places) {
      const vendors = [{ key: field, channel: "direct_message", address: field }]
      assert.deepStrictEqual(one(to, { vendors }).deliveries.map((call) => call.address), [address], field)
      assert.isEmpty(one({ user_id: "ada", [field]: "none" }, { vendors }).calls, field)
    }
  })
})

describe("the text of a call", () => {
  it("is what its recipient reads, and no word of the style sheets", () => {
    const [call] = one({ email: "ada@x.test" }, {}, "On **its** way").deliveries
    assert.strictEqual(call?.text, "Code\nOn its way")
    assert.include(call?.rendered.html, "border")
  })
})
