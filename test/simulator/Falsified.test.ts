import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger } from "effect"
import { inspect } from "node:util"

const content = { title: "Hello", body: "Ada" }
const to = { email: "ada@example.com" }

const hello: Simulation.Story = (world) =>
  Effect.delay(world.send({ to, content }, { key: "hello" }), world.chance.int(0, 60_000))

/** Faults at any time: that of an aimed one is its call's. */
const unaimed: Faults.Faults = { ...Faults.all, aimed: 0 }

/** So many that some can be left out. */
const many: Faults.Faults = { ...unaimed, atMost: 12 }

const unnamed = Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))

const falsified = (property: Simulation.Property, options: Simulation.Options = {}) =>
  Simulation.check(property, { ...options, seeds: 60 }).pipe(unnamed, Effect.flip)

/** What a check of these worlds warned of, and what it answered. */
const checked = (story: Simulation.Story, options: Simulation.Options & { readonly seeds?: number } = {}) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logged = Logger.layer([Logger.make(({ message }) => lines.push(String(message)))])
    const found = yield* Simulation.check({ story, complaints: () => [] }, options).pipe(
      unnamed,
      Effect.provide(logged)
    )
    return { ...found, lines }
  })

describe("a world that breaks a property", () => {
  it.effect("is told line by line, with the fewest of its faults that break it", () =>
    Effect.gen(function*() {
      const complaints: Simulation.Property["complaints"] = ({ incidents }) =>
        incidents.filter(({ kind }) => kind === "crash").length >= 2 ? ["two nodes died"] : []
      const error = yield* falsified({ story: hello, complaints }, { faults: many })
      const { enough, faults, happened, message, seed } = error
      // As `node:test` shows it.
      assert.include(inspect(error), message)
      const whole = Simulation.run(seed, hello, { faults: many })
      assert.strictEqual(faults.length, whole.incidents.filter(({ kind }) => kind !== "move").length)
      const only =
        /^These are enough: crash of \w at \d+ ms, crash of \w at \d+ ms \(options\.faults of only: \[(\d+), (\d+)\]/
          .exec(enough ?? "")?.slice(1).map(Number) ?? assert.fail(message)
      const least = Simulation.run(seed, hello, { faults: { ...many, only, lostAnswers: 0 } })
      assert.deepStrictEqual(
        least.incidents.map(({ kind }) => kind).filter((kind) => kind !== "move"),
        ["crash", "crash"]
      )
      assert.deepStrictEqual(happened, Simulation.timeline(least))
      assert.match(happened.join("\n"), /POST \/send to \{"email":"ada@example\.com"\} with key hello to node \w: 202/)
      for (const part of [...faults, enough ?? "", ...happened]) assert.include(message, part)
    }))

  it.effect("is said to break it without any fault, if it does", () =>
    Effect.gen(function*() {
      const complaints: Simulation.Property["complaints"] = ({ deliveries, incidents }) =>
        deliveries.length === 1 && (incidents.length > 2 || incidents.length === 0) ? ["always"] : []
      const { enough, faults, happened } = yield* falsified({ story: hello, complaints }, {
        faults: { ...Faults.all, kinds: ["jump"] }
      })
      if (faults.length === 0) return assert.strictEqual(enough, undefined)
      assert.strictEqual(enough, "It breaks without any fault, too: options.faults of Faults.none")
      assert.isEmpty(happened.filter((line) => line.includes("jump")))
    }))

  it.effect("is not said to need fewer faults where none could be left out", () =>
    Effect.gen(function*() {
      const struck: Simulation.Story = (world) => Effect.andThen(hello(world), world.strike("crash"))
      const complaints: Simulation.Property["complaints"] = ({ incidents }) => incidents.length > 0 ? ["a fault"] : []
      const faults: Faults.Faults = { kinds: ["jump"], atMost: 0, within: 60_000, lostAnswers: 0.0001 }
      const { enough, faults: [fault], message } = yield* falsified({ story: struck, complaints }, { faults })
      assert.match(fault ?? "", /^crash of \w at /)
      assert.isUndefined(enough)
      assert.notInclude(message, "These are enough")
    }))

  it.effect("is told once by Node, though nobody catches the error", () =>
    Effect.gen(function*() {
      const error = yield* falsified({ story: hello, complaints: () => ["always"] }, { faults: Faults.none })
      assert.deepStrictEqual(error.complaints, ["always"])
      assert.notInclude(inspect(error, { customInspect: false }), "complaints:")
    }))

  it.effect("says where an error of its complaints came from", () =>
    Effect.gen(function*() {
      const complaints: Simulation.Property["complaints"] = (
        { stored }
      ) => [stored.message("none")?.userId ?? assert.fail("no message")]
      const { complaints: [asserted] } = yield* falsified({ story: hello, complaints }, { faults: Faults.none })
      assert.match(asserted ?? "", /^no message\n\s+at .*Falsified\.test\.ts:\d+:\d+/)
      const thrown = () => [decodeURIComponent("%")]
      const { complaints: [failed] } = yield* falsified({ story: hello, complaints: thrown }, { faults: Faults.none })
      assert.match(failed ?? "", /^URIError: URI malformed\n\s+at .*Falsified\.test\.ts:\d+:\d+/)
    }))

  it.effect("is not said to be lived again if a variable that outlives a world breaks the property", () =>
    Effect.gen(function*() {
      let sent = 0
      const story: Simulation.Story = (world) => Effect.andThen(Effect.sync(() => sent++), hello(world))
      const { message, replays, seed } = yield* falsified({
        story,
        complaints: ({ deliveries }) => deliveries.length >= sent ? [] : [`${deliveries.length} of ${sent}`]
      }, { faults: Faults.none })
      assert.deepStrictEqual([seed, replays], [2, false])
      assert.include(message, "SEED=2 may not replay it: the property uses time or chance that is not its world's, or")
    }))

  it.effect("of many lines is cut short", () =>
    Effect.gen(function*() {
      const crowd: Simulation.Story = (world) =>
        Effect.forEach(Array.from({ length: 50 }), () => world.send({ to, content }), { discard: true })
      const { happened } = yield* falsified({ story: crowd, complaints: () => ["always"] }, { faults: Faults.none })
      assert.strictEqual(happened.length, 41)
      assert.match(happened.at(-1) ?? "", /and \d+ lines more: Simulation\.timeline/)
    }))
})

describe("a seed", () => {
  it("has the same faults, and draws the same for its story, whatever else happens in its world", () => {
    const draws = (story: Simulation.Story, seed: number, options: Simulation.Options = {}) => {
      const drawn: Array<number> = []
      const { incidents } = Simulation.run(
        seed,
        (world) => {
          for (let n = 0; n < 5; n++) drawn.push(world.chance.int(0, 1_000_000))
          return Effect.andThen(story(world), Effect.sleep("90 seconds"))
        },
        options
      )
      return [drawn, incidents.flatMap(({ at, drawn, kind }) => drawn === undefined ? [] : [[kind, at]])]
    }
    for (let seed = 1; seed <= 20; seed++) {
      const options = { nodes: 5, faults: { ...unaimed, kinds: ["crash", "freeze", "jump", "outage"] } as const }
      const first = draws(hello, seed, options)
      const changed = draws((world) => Effect.andThen(hello(world), hello(world)), seed, { ...options, shards: 7 })
      assert.deepStrictEqual(changed, first, `seed ${seed}`)
    }
  })
})

describe("a check that passes", () => {
  it.effect("answers what its worlds had, and is silent where something could have gone wrong", () =>
    Effect.gen(function*() {
      const { lines, ...found } = yield* checked(hello, { seeds: 30 })
      assert.deepStrictEqual(lines, [])
      assert.deepStrictEqual([found.worlds, found.sends, found.messages], [30, 30, found.accepted])
      assert.isAtLeast(found.deliveries, found.accepted)
      assert.isAbove(found.disturbed, 10)
      assert.isAtLeast(found.calls, found.accepted)
    }))

  it.effect("warns of a provider that was not called in any world", () =>
    Effect.gen(function*() {
      const mail = { key: "mail", channel: "email", address: "email" }
      const vendors = [mail, { key: "text", channel: "sms", address: "phone" }]
      const { lines } = yield* checked(hello, { seeds: 3, faults: Faults.none, vendors })
      assert.deepStrictEqual(lines, ["The property holds, but the provider text was not called in any world"])
      assert.deepStrictEqual((yield* checked(hello, { seeds: 3, faults: Faults.none })).lines, [])
    }))

  it.effect("had calls whose outcome nobody knew, unless its faults leave none in doubt, and then warns", () =>
    Effect.gen(function*() {
      const found = yield* checked(hello, { seeds: 60 })
      assert.isAbove(found.unknown, 5)
      assert.deepStrictEqual(found.lines, [])
      const spared = yield* checked(hello, { seeds: 60, faults: { ...Faults.all, kinds: ["jump"] } })
      assert.strictEqual(spared.unknown, 0)
      assert.match(
        spared.lines.join(),
        /^The property holds, but no call of any world had an unknown outcome, which is/
      )
      const { lines } = yield* checked(hello, { seeds: 60, faults: Faults.none })
      assert.deepStrictEqual(lines, [])
      const lost = { _tag: "Lose", after: 20, taken: true, proved: false } as const
      const vendors = [{ key: "mail", channel: "email", address: "email", script: [lost] }]
      assert.strictEqual((yield* checked(hello, { seeds: 3, faults: Faults.none, vendors })).unknown, 3)
    }))

  it("strikes, with an aimed fault, the node that makes a call, before that is answered", () => {
    let struck = 0
    for (let seed = 1; seed <= 20; seed++) {
      const faults: Faults.Faults = { kinds: ["crash"], atMost: 1, within: 1, lostAnswers: 0, aimed: 1 }
      const { calls: [call], incidents } = Simulation.run(seed, hello, { faults })
      const [crash] = incidents.filter(({ kind }) => kind === "crash")
      if (crash === undefined) continue
      struck++
      assert.deepStrictEqual([crash.node, call?.heard], [call?.node, undefined], `seed ${seed}`)
      assert.isTrue(call !== undefined && crash.at > call.calledAt && crash.at < call.calledAt + 20)
    }
    assert.isAbove(struck, 5)
  })

  it.effect("warns if nothing was accepted, if nobody got anything, and if hardly a world had a fault", () =>
    Effect.gen(function*() {
      const quiet = { seeds: 30, faults: Faults.none }
      const refused = yield* checked((world) => world.send({ to: { user_id: "" }, content }), quiet)
      assert.strictEqual(refused.lines.length, 1)
      assert.match(
        refused.lines[0] ?? "",
        /^The property holds, but no send was accepted in any world; the first was answered 400 \{"message"/
      )
      const oneOfTwo = yield* checked(
        (world) => Effect.andThen(hello(world), world.send({ to, content, template: "both" })),
        quiet
      )
      assert.match(
        oneOfTwo.lines.join(),
        /^The property holds, but a send was refused in every world; the first was answered 400 \{"message":"message: ex/
      )
      const unreachable = yield* checked(
        (world) => world.send({ to: { user_id: "ada" }, content, routing: { method: "single", channels: ["sms"] } }),
        quiet
      )
      assert.match(
        unreachable.lines.join(),
        /^The property holds, but nobody got anything in any world; the first message ended as UNROUTABLE, /
      )
      const short = yield* checked((world) => world.send({ to, content }), { seeds: 30 })
      assert.match(
        short.lines.join(),
        /^The property holds, but \d of 30 worlds had a fault before everything in them was over/
      )
      assert.deepStrictEqual((yield* checked((world) => world.send({ to, content }), quiet)).lines, [])
    }))

  it.effect("gives others their turn between its worlds, such as a timeout", () =>
    Effect.gen(function*() {
      const others = Effect.as(Effect.repeat(Effect.yieldNow, { times: 3 }), "others")
      assert.strictEqual(yield* Effect.raceFirst(checked(hello, { seeds: 30 }), others), "others")
    }))
})
