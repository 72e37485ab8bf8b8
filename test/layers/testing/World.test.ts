import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const day = 86_400_000
const content = { title: "t", body: "b" }

describe("A world", () => {
  it("lasts until its last message has had its time, also days after its story", () => {
    const story = (wait: number): Simulation.Story => (world) =>
      world.send({ to: { email: "a@x.test" }, content, delay: { duration: wait } }, { key: "k" })
    for (const [wait, options] of [[7 * day, {}], [14 * day, { nodes: 1, faults: Faults.none }]] as const) {
      const { deliveries, drained, failure } = Simulation.run(3, story(wait), options)
      assert.deepStrictEqual([failure, drained, deliveries.length], [undefined, true, 1], `${wait / day} days`)
    }
  })

  it("is broken off at once if something is due in months, unless its story takes that back", () => {
    const far: Simulation.Story = (world) =>
      world.send({ to: { email: "a@x.test" }, content, delay: { until: "2026-11-30T08:00:00Z" } }, { key: "k" })
    const { failure, lasted } = Simulation.run(1, far)
    assert.match(
      failure ?? "",
      /^something is due 329 days after its world began, and 60 are the most/
    )
    assert.isBelow(lasted, day)
    const listed: Simulation.Story = (world) =>
      world.send({ to: { list_id: "crew" }, content, delay: { until: "2026-11-30T08:00:00Z" } }, { key: "k" })
    const given = { lists: { crew: ["ada"] }, profiles: { ada: { email: "ada@x.test" } } }
    for (const faults of [Faults.all, Faults.none])
      assert.include(Simulation.run(1, listed, { given, faults }).failure, "something is due 329 days")
    const canceled: Simulation.Story = Effect.fnUntraced(function*(world) {
      const request = yield* world.send(
        { to: { email: "a@x.test" }, content, delay: { until: "2026-11-30T08:00:00Z" } },
        { key: "k" }
      )
      yield* Effect.sleep("1 minute")
      yield* world.cancel(request.requestId ?? "")
    })
    const after = Simulation.run(1, canceled, { faults: Faults.none })
    assert.deepStrictEqual([after.failure, after.drained], [undefined, true])
  })

  it("begins when its options say, and so can pass a night in which clocks change", () => {
    const given = { profiles: { ada: { email: "ada@x.test", timezone: "Europe/Vienna" } } }
    const story: Simulation.Story = (world) =>
      world.send({ to: { user_id: "ada" }, content, delay: { until: "Mo-Su 07:00-22:00" } }, { key: "k" })
    const cameAt = (begins: string) =>
      Simulation.run(1, story, { begins, given, faults: Faults.none }).deliveries.map(({ wall }) =>
        new Date(wall).toISOString().slice(0, 16)
      )
    assert.deepStrictEqual(cameAt("2026-03-27T23:00:00+01:00"), ["2026-03-28T06:00"])
    assert.deepStrictEqual(cameAt("2026-03-28T23:00:00+01:00"), ["2026-03-29T05:00"])
  })

  it.effect("that goes round after its story is told from one in which something was lost", () =>
    Effect.gen(function*() {
      const story: Simulation.Story = (world) =>
        Effect.andThen(
          world.send({ to: { email: "a@x.test" }, content, delay: { duration: day } }, { key: "k" }),
          Effect.forkDetach(Effect.forever(Effect.yieldNow))
        )
      const { complaints } = yield* Effect.flip(
        Simulation.check({ story, complaints: () => [] }, { faults: Faults.none, seeds: 1 })
      )
      assert.deepStrictEqual(complaints, [
        "something accepted did not come to its end within 2,000,000 steps of its world, and 10 for each second of it: " +
        "it is endless, something in it goes round"
      ])
    }))

  it("has its faults also while it does what its story has asked for", () => {
    const story: Simulation.Story = (world) =>
      world.send({ to: { email: "a@x.test" }, content, delay: { duration: 90_000 } }, { key: "k" })
    const met = Array.from(
      { length: 20 },
      (_, seed) =>
        Simulation.run(seed, story, { faults: { ...Faults.all, atMost: 4, within: 120_000 } }).incidents.filter((
          { at }
        ) => at > 10_000).length
    )
    assert.isAbove(met.reduce((sum, one) => sum + one, 0), 10)
  })

  it("whose store lags answers later, and after that as soon as before", () => {
    const sent = (world: Simulation.World, key: string) =>
      world.send({ to: { email: `${key}@x.test` }, content }, { key })
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* world.strike("lag")
      yield* sent(world, "a")
      yield* Effect.sleep("1 minute")
      yield* sent(world, "b")
    })
    const took = (request: Simulation.Request | undefined) =>
      request?.tries.map(({ answeredAt, at }) => (answeredAt ?? Infinity) - at).at(-1) ?? NaN
    for (let seed = 1; seed <= 20; seed++) {
      const { deliveries, incidents, requests } = Simulation.run(seed, story, { faults: Faults.none })
      const faults = incidents.filter(({ kind }) => kind !== "move")
      assert.deepStrictEqual([deliveries.length, faults.map(({ kind }) => kind)], [2, ["lag"]], `seed ${seed}`)
      const [slow = 0, fast = 0] = requests.map(took)
      assert.isAtLeast(slow, 200, `seed ${seed}`)
      assert.isBelow(fast, slow, `seed ${seed}`)
    }
  })

  it("lasts until every call is answered, also one whose message others have ended meanwhile", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* Effect.sleep("3 seconds")
      yield* world.send({ to: { email: "a@x.test" }, content }, { key: "k" })
      yield* Effect.sleep("1 second")
      for (const node of ["a", "b", "c"]) yield* world.strike("rob", node)
    })
    const vendors: ReadonlyArray<Simulation.VendorOptions> = [{
      key: "mail",
      channel: "email",
      address: "email",
      deadline: Infinity,
      answers: ({ attempt }) => attempt === 1 ? { _tag: "Accept", after: 300_000 } : undefined
    }]
    let taken = 0
    for (let seed = 1; seed <= 5; seed++) {
      const { calls, leftovers } = Simulation.run(seed, story, { faults: Faults.none, shards: 3, vendors })
      for (const { heard } of calls) assert.strictEqual(heard, "accepted", `seed ${seed}`)
      assert.deepStrictEqual(leftovers.map(({ held }) => held), [0, 0, 0])
      taken += calls.length
    }
    assert.isAbove(taken, 5)
  })

  it("has a fault in the node that its story names, if that is up, and says if it is none", () => {
    const struck: Array<boolean> = []
    const story: Simulation.Story = Effect.fnUntraced(function*({ strike }) {
      yield* Effect.sleep("3 seconds")
      for (const kind of ["freeze", "freeze", "rob", "outage"] as const) struck.push(yield* strike(kind, "b"))
      struck.push(yield* strike("crash", "c"))
    })
    for (let seed = 1; seed <= 10; seed++) {
      const { failure, incidents } = Simulation.run(seed, story, { faults: Faults.none })
      assert.strictEqual(failure, undefined)
      assert.deepStrictEqual(struck.splice(0), [true, false, false, true, true])
      assert.deepStrictEqual(
        incidents.filter(({ kind }) => kind !== "move").map(({ kind, node }) => [kind, node]),
        [["freeze", "b"], ["outage", undefined], ["crash", "c"]]
      )
    }
    const { failure } = Simulation.run(1, ({ strike }) => strike("crash", "d"), { faults: Faults.none })
    assert.include(failure, "The story strikes d, which is none of the nodes a, b, c")
  })

  it("a node that leaves in order finishes the calls that it has made", () => {
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* world.send({ to: { email: "a@x.test" }, content }, { key: "k" })
      yield* Effect.sleep("3 seconds")
      yield* world.strike("leave")
      yield* world.strike("leave")
      yield* Effect.sleep("1 minute")
    })
    for (let seed = 1; seed <= 20; seed++) {
      const { calls, stored } = Simulation.run(seed, story, {
        nodes: 1,
        faults: Faults.none,
        vendors: [{
          key: "mail",
          channel: "email",
          address: "email",
          script: [{ _tag: "Accept", after: 10_000 }]
        }]
      })
      assert.strictEqual(calls.length, 1, `seed ${seed}`)
      assert.deepStrictEqual(stored.messages().map(({ status }) => status), ["SENT"])
    }
  })

  it("what its recipient opens is OPENED, and is not escalated; what nobody opens is, in time", () => {
    const given = { profiles: { ada: { phone_number: "+15550100001" } } }
    const faults: Faults.Faults = { ...Faults.all, kinds: ["crash", "freeze", "rob", "outage"] }
    const story = (opens: boolean): Simulation.Story =>
      Effect.fnUntraced(function*(world) {
        const { requestId } = yield* world.send({
          to: { user_id: "ada" },
          content,
          routing: { method: "single", channels: ["inbox", "sms"] },
          timeout: { criteria: "viewed", escalation: 600_000 }
        }, { key: "k" })
        yield* Effect.sleep("3 minutes")
        if (opens && requestId !== undefined) yield* world.open(requestId)
      })
    for (let seed = 1; seed <= 20; seed++) {
      const opened = Simulation.run(seed, story(true), { given, faults })
      assert.deepStrictEqual(
        [opened.failure, opened.calls.length, opened.stored.messages().map(({ status }) => status)],
        [undefined, 0, ["OPENED"]],
        `seed ${seed}`
      )
      const unread = Simulation.run(seed, story(false), { given, faults: Faults.none })
      const [item] = unread.stored.inbox("ada")
      const waited = unread.calls.map(({ wall }) => wall - (item?.createdAt ?? 0))
      assert.isTrue(waited.length === 1 && waited.every((ms) => ms >= 600_000 && ms < 620_000), `${seed}: ${waited}`)
    }
  })
})
