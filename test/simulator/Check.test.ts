import { none } from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { Kind } from "#schemas/DeliveryError.ts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, ConfigProvider, Deferred, Effect, Exit, Logger } from "effect"

const hello: Simulation.Story = (world) =>
  Effect.delay(
    world.send({ to: { email: "ada@example.com" }, content: { title: "Hello", body: "Ada" } }, { key: "hello" }),
    world.chance.int(0, 5_000)
  )

/** Long enough for what goes wrong within the first minute. */
const minute: Simulation.Story = (world) => Effect.andThen(hello(world), Effect.sleep("1 minute"))

const withSeed = (seed: string | undefined) =>
  Effect.provideService(
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromUnknown(seed === undefined ? {} : { SEED: seed })
  )

/** The seeds that a check lives through. */
const lived = (seed: string | undefined, seeds?: number) => {
  const seen: Array<number> = []
  const complaints: Simulation.Property["complaints"] = (history) => {
    seen.push(history.seed)
    return []
  }
  return Simulation.check({ story: hello, complaints }, seeds === undefined ? {} : { seeds }).pipe(
    withSeed(seed),
    Effect.as(seen)
  )
}

const falsified = (property: Simulation.Property, options: Simulation.Options = {}) =>
  Simulation.check(property, { ...options, seeds: 40 }).pipe(
    withSeed(undefined),
    Effect.flip
  )

describe("Simulation.check", () => {
  it.effect("lives the seeds 1 to 100 if nothing is said", () =>
    Effect.map(
      lived(undefined),
      (seeds) => assert.deepStrictEqual(seeds, Array.from({ length: 100 }, (_, n) => n + 1))
    ))

  it.effect("lives as many seeds as it is told", () =>
    Effect.map(lived(undefined, 3), (seeds) => assert.deepStrictEqual(seeds, [1, 2, 3])))

  it.effect("lives only the seed that SEED names, and says so", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logged = Logger.layer([Logger.make(({ message }) => lines.push(message))])
      assert.deepStrictEqual(yield* Effect.provide(lived(undefined, 3), logged), [1, 2, 3])
      assert.deepStrictEqual(lines, [])
      assert.deepStrictEqual(yield* Effect.provide(lived("17", 3), logged), [17])
      assert.strictEqual(
        String(lines),
        "SEED=17: this world alone; if code has changed since it failed, it has the same faults, and another course"
      )
    }))

  it.effect("refuses a SEED that is no whole number in a sentence", () =>
    Effect.gen(function*() {
      for (const seed of ["abc", "1.5"]) {
        const exit = yield* Effect.exit(lived(seed))
        const said = Exit.isFailure(exit) ? Cause.prettyErrors(exit.cause).map(({ message }) => message) : []
        assert.deepStrictEqual(said, ["The environment variable SEED has to be a whole number"])
      }
    }))

  it.effect("does not pass where no world was lived", () =>
    Effect.gen(function*() {
      for (const seeds of [0, -1, 1.5, NaN]) {
        const exit = yield* Effect.exit(lived(undefined, seeds))
        assert.include(String(exit), `options.seeds is ${seeds}`)
      }
      for (const options of [{ nodes: 0 }, { nodes: NaN }, { shards: 0 }]) {
        assert.include(Simulation.run(1, hello, options).failure, "has to be a whole number from 1")
      }
    }))

  it("refuses in a sentence what would be no world, or one without an end", () => {
    const text = { key: "text", channel: "sms", address: "phone_number" }
    const script = (after: number, retryAfter: number | null = null) => ({
      vendors: [{ ...text, script: [{ _tag: "Refuse", after, kind: "RateLimited", retryAfter } as const] }]
    })
    const faults = { kinds: [], atMost: 0, within: 0, lostAnswers: 0 }
    const misspelt = { nodes: 1, vendor: [text] }
    const unsaid = { ...text, reject: ["+15550100001"] }
    const scripted = (cue: object): object => ({ vendors: [{ ...text, script: [cue] }] })
    const vendor = (said: object): object => ({ vendors: [{ ...text, ...said }] })
    const first = "options.vendors[0].script[0]"
    const refused: ReadonlyArray<readonly [options: object, sentence: string]> = [
      [script(0.5), "options.vendors[0].script[0].after: Expected an integer"],
      [script(1, -1), "options.vendors[0].script[0].retryAfter: Expected a value greater than or equal to 0"],
      [scripted({ _tag: "Reject", after: 1 }), `${first}: Expected one of Accept, Refuse and Lose for its _tag`],
      [
        scripted({ _tag: "Refuse", after: 1, kind: "Busy", retryAfter: null }),
        `options.vendors[0].script[0].kind: Expected ${Kind.literals.map((kind) => `"${kind}"`).join(" | ")}`
      ],
      [vendor({ key: undefined }), "options.vendors[0].key: Expected string"],
      [{ vendors: [{ channel: "sms", address: "phone_number" }] }, "options.vendors[0].key: Required"],
      [vendor({ connections: 0 }), "options.vendors[0].connections: Expected a value greater than or equal to 1"],
      [vendor({ perSecond: 0 }), "options.vendors[0].perSecond: Expected a value greater than or equal to 1"],
      [vendor({ channel: "" }), "options.vendors[0].channel: Must not be empty"],
      [vendor({ address: "" }), "options.vendors[0].address: Must not be empty"],
      [vendor({ deadline: 0 }), "options.vendors[0].deadline: Expected a value greater than 0"],
      [scripted({ _tag: "Accept", after: 1e10 }), `${first}.after: Expected a value between 0 and 2592000000`],
      [
        vendor({ channel: "slack" }),
        "The vendor text has the channel slack, which is none of direct_message, email, push, sms, webhook (direct_message: Slack, Teams, Discord, PagerDuty)"
      ],
      [vendor({ channel: "inbox" }), "The vendor text has the channel inbox, which every world has without a vendor"],
      [
        vendor({ channel: "webhook" }),
        "The vendor text has the channel webhook: its key and its address have to be webhook, too"
      ],
      [vendor({ rejects: "+15550100001" }), "options.vendors[0].rejects: Expected array"],
      [vendor({ down: { from: 0, until: 1 } }), "options.vendors[0].down: Expected array"],
      [{ vendors: text }, "options.vendors: Expected array"],
      [{ vendors: [text, text] }, "options.vendors has more than one text"],
      [
        { vendors: [{ ...text, down: [{ from: 5, until: 5 }] }] },
        "The vendor text is down from 5 until 5, and that has to be from a whole number until a later one"
      ],
      [
        misspelt,
        "options has vendor, which is none of nodes, shards, seeds, vendors, listeners, faults, given, begins, drawn"
      ],
      [
        { vendors: [unsaid] },
        "The vendor text has reject, which is none of key, channel, address, folds, deadline, connections, perSecond, rejects, down, script, answers"
      ],
      [{ faults: { ...faults, atMost: NaN } }, "options.faults.atMost is NaN, and has to be a whole number from 0"],
      [{ faults: { ...faults, moves: 1 } }, "options.faults.moves is 1, and has to be from 0 to below 1"],
      [{ faults: { ...faults, aimed: 1.5 } }, "options.faults.aimed is 1.5, and has to be from 0 to 1"],
      [{ faults: { ...faults, only: [0.5] } }, "options.faults.only has 0.5, and has to have whole numbers from 0"],
      [
        { faults: { ...faults, move: 0.5 } as typeof faults },
        "options.faults has move, which is none of kinds, atMost, within, lostAnswers, moves, aimed, only"
      ],
      [{ faults: { ...faults, lostAnswers: 1 } }, "options.faults.lostAnswers is 1, and has to be from 0 to below 1"]
    ]
    for (const [options, sentence] of refused)
      assert.strictEqual(Simulation.run(1, hello, options).failure?.split("\n")[0], `Error: ${sentence}`)
    assert.strictEqual(Simulation.run(1, hello, script(1, 3_600_000)).failure, undefined)
  })

  it("says in a sentence what a story names that is not there", () => {
    const message = { to: { email: "ada@example.com" }, content: { title: "Hello", body: "Ada" } }
    const cases: ReadonlyArray<readonly [Simulation.Story, string]> = [
      [
        ({ send }) => Reflect.apply(send, undefined, [message, { environment: 3 }]),
        "The environment is 3, and has to be 1"
      ],
      [
        ({ cancel }) => Reflect.apply(cancel, undefined, ["1-695b6f80-361bb6bfccbdb767068c86f7", 0]),
        "The environment is 0, and has to be 1"
      ],
      [(world) => world.change({ _tag: "Withdraw", provider: "mial" }), "names none of mail, post, text"],
      [
        (world) => world.change({ _tag: "Prefer", userId: "ada", topicId: "nwes", status: "OPTED_OUT" }),
        "names a topic that is none of options.given.topics"
      ],
      [(world) => world.change({ _tag: "Join", tenantId: "acme", userId: "ada" }), "names a tenant that is none of"],
      ...(["DeleteList", "RestoreList"] as const).map((_tag) =>
        [(world: Simulation.World) => world.change({ _tag, listId: "crew" }), "names a list that neither"] as const
      ),
      [(world) => world.change({ _tag: "Unsubscribe", listId: "crew", userId: "ada" }), "names a list that neither"],
      [(world) => world.change({ _tag: "DeleteList", listId: "a b" }), "names a list by what is no id"],
      [
        (world) => world.change({ _tag: "Prefer", userId: "", topicId: "news", status: "OPTED_OUT" }),
        "names a user by what is no id"
      ]
    ]
    for (const [story, sentence] of cases) assert.include(Simulation.run(1, story).failure?.split("\n")[0], sentence)
  })

  it.effect("takes a story that throws before it begins for one that breaks off", () =>
    Effect.map(
      falsified({ story: () => assert.fail("no such order"), complaints: () => [] }),
      ({ complaints }) => assert.include(complaints.join(), "the story broke off: AssertionError: no such order")
    ))

  it("tells at once a story that waits for what never comes, and in a sentence why any other has no end", () => {
    const minutes = 60_000
    const outside: Simulation.Story = (world) => Effect.andThen(hello(world), Effect.promise(() => Promise.resolve()))
    for (const story of [outside, () => Effect.never, () => Effect.flatMap(Deferred.make(), Deferred.await)]) {
      const { failure, lasted } = Simulation.run(1, story, { faults: none })
      assert.include(failure, "the story waits for what never comes")
      assert.isBelow(lasted, 3 * minutes)
    }
    const spinning = Simulation.run(1, () => Effect.forever(Effect.yieldNow))
    assert.include(spinning.failure, "did not end within 2,000,000 steps of its world")
    const late = Simulation.run(1, () => Effect.sleep("31 days"), { nodes: 1, faults: none })
    assert.include(late.failure, "did not end within 30 days of its world")
  }, 120_000)

  it(
    "tells within hours a story that looks again and again for what never comes, and lets others look for a day",
    () => {
      const looking = (world: Simulation.World, isThere: () => boolean) =>
        Effect.repeat(Effect.sleep("1 second"), { until: () => world.stored.messages().length > 0 && isThere() })
      const endless = Simulation.run(1, (world) => looking(world, () => false), { nodes: 1, faults: none })
      assert.include(endless.failure, "the story does nothing but look, for more than 50000 steps")
      assert.isBelow(endless.lasted, 24 * 3_600_000)
      const story: Simulation.Story = Effect.fnUntraced(function*(world) {
        const { requestId = "" } = yield* world.send({
          to: { email: "ada@example.com" },
          content: { title: "Hello", body: "Ada" },
          delay: { duration: 30 * 3_600_000 }
        })
        yield* looking(world, () => world.stored.message(requestId)?.status === "SENT")
      })
      const sleeping: Simulation.Story = (world) =>
        Effect.all([Effect.delay(hello(world), "20 hours"), looking(world, () => true)], { concurrency: 2 })
      for (const one of [story, sleeping]) {
        const { deliveries, failure } = Simulation.run(1, one, { nodes: 1, faults: none })
        assert.deepStrictEqual([failure, deliveries.length], [undefined, 1])
      }
    },
    30_000
  )

  it("lets a story go on that only calls, or sleeps, whatever goes wrong meanwhile", () => {
    const calling: Simulation.Story = (world) =>
      Effect.forEach(Array.from({ length: 400 }), () => world.cancel("1-695b6f80-361bb6bfccbdb767068c86f7"))
    const stories: ReadonlyArray<Simulation.Story> = [
      calling,
      () => Effect.all([Effect.sleep("3 hours"), Effect.sleep("1 day")], { concurrency: 2 }),
      (world) => Effect.repeat(world.strike("freeze"), { times: 5 }).pipe(Effect.andThen(minute(world)))
    ]
    for (const story of stories)
      for (let seed = 1; seed <= 10; seed++) assert.strictEqual(Simulation.run(seed, story).failure, undefined)
  }, 60_000)

  it("renders the templates that a world begins with, in both environments", () => {
    const shipped = { elements: [{ type: "text", content: "{{profile.name}}: {{order}}" }] }
    const given = { profiles: { ada: { email: "ada@example.com", name: "Ada" } }, templates: { shipped } }
    const story: Simulation.Story = (world) =>
      Effect.forEach(
        [1, 2] as const,
        (environment) =>
          world.send({ to: { user_id: "ada" }, template: "shipped", data: { order: "A-17" } }, { environment })
      )
    const { deliveries } = Simulation.run(1, story, { given, faults: none })
    assert.deepStrictEqual(deliveries.map(({ scope }) => Number(scope)).sort(), [1, 2])
    for (const { text } of deliveries) assert.include(text, "Ada: A-17")
  })

  it("a cancel of what is no message is one that is not confirmed", () => {
    const answers: Array<boolean | undefined> = []
    const { failure } = Simulation.run(
      1,
      (world) =>
        Effect.forEach(
          ["nonsense", "1-695b6f80-361bb6bfccbdb767068c86f7"],
          (id) => Effect.map(world.cancel(id), (answer) => answers.push(answer))
        )
    )
    assert.deepStrictEqual([failure, answers], [undefined, [undefined, undefined]])
  })

  it.effect("ends at the first seed that breaks the property, and names what went wrong in its world", () =>
    Effect.gen(function*() {
      const complaints: Simulation.Property["complaints"] = ({ incidents }) =>
        incidents.some(({ kind }) => kind === "crash") ? ["a node died"] : []
      const { message, seed } = yield* falsified({ story: minute, complaints })
      for (let n = 1; n < seed; n++) assert.deepStrictEqual(complaints(Simulation.run(n, minute)), [])
      const crash = Simulation.run(seed, minute).incidents.find(({ kind }) => kind === "crash")
      assert.match(message, new RegExp(`^Seed ${seed} breaks the property\n  a node died\nFaults in its world: `))
      assert.include(message, `crash of ${crash?.node} at ${crash?.at} ms`)
      assert.include(message, `Replay it alone: the same command with SEED=${seed}`)
    }))

  it.effect("takes a failed assertion for a complaint", () =>
    Effect.map(
      falsified({ story: hello, complaints: () => assert.fail("not so") }),
      ({ complaints }) => assert.strictEqual(complaints.join().split("\n")[0], "not so")
    ))

  it.effect("takes a story that breaks off for a complaint", () =>
    Effect.map(
      falsified({ story: () => Effect.die("no such order"), complaints: () => [] }),
      ({ complaints }) => assert.include(complaints.join(), "no such order")
    ))

  it.effect("says when a seed will not live the same again", () =>
    Effect.gen(function*() {
      let sent = 0
      const story: Simulation.Story = (world) =>
        Effect.forEach(Array.from({ length: ++sent }), () => hello(world), { discard: true })
      const { message } = yield* falsified({ story, complaints: () => ["always"] }, { nodes: 1 })
      assert.include(message, "SEED=1 may not replay it")
    }))
})
