import * as Arbitraries from "#layers/testing/Arbitraries.ts"
import * as Faults from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"

const profiles = { ada: { email: "ada@x.test" } }
const templates = { shipped: { elements: [{ type: "text", content: "Shipped" }] } }
const calm = { nodes: 1, faults: Faults.none }

/** What became of one drawn send in each of 120 worlds, and what each said. */
const livedBy = (sends: ReturnType<typeof Arbitraries.sendsTo>) => {
  const worlds = Array.from(
    { length: 120 },
    (_, n) =>
      Simulation.run(n + 1, (world) => Effect.flatMap(world.draw(sends), (send) => world.send(send)), {
        ...calm,
        given: { profiles, templates }
      })
  )
  const share = (has: (history: Simulation.History) => boolean) => worlds.filter(has).length / worlds.length
  return {
    failures: worlds.flatMap(({ failure }) => failure === undefined ? [] : [failure]),
    said: worlds.flatMap(({ requests }) => requests.map(({ message }) => message)),
    accepted: share(({ requests }) => requests.every(({ requestId }) => requestId !== undefined)),
    sent: share(({ stored }) => stored.messages().some(({ status }) => status === "SENT"))
  }
}

describe("Arbitraries", () => {
  it("sends to somebody are accepted and sent for the most part, whatever they say", () => {
    const { accepted, failures, said, sent } = livedBy(Arbitraries.sendsTo([{ user_id: "ada" }]))
    assert.deepStrictEqual(failures, [])
    assert.isAbove(accepted, 0.95)
    assert.isAbove(sent, 0.9)
    assert.isAbove(new Set(said.map((message) => JSON.stringify(message.content))).size, 90)
    assert.isAbove(new Set(said.flatMap((message) => Object.keys(message))).size, 10)
  })

  it("sends name templates only if the caller names some, and then both templates and contents occur", () => {
    const { accepted, said, sent } = livedBy(Arbitraries.sendsTo([{ user_id: "ada" }], ["shipped"]))
    assert.isAbove(accepted, 0.95)
    assert.isAbove(sent, 0.9)
    const named = said.filter(({ template }) => template === "shipped")
    assert.isAbove(Math.min(named.length, said.length - named.length), 30)
    for (const { content, template } of said) assert.notStrictEqual(content === undefined, template === undefined)
  })

  it("a draw draws anew each time that it runs, and whatever the arbitrary has, also nothing", () => {
    const seen: Array<unknown> = []
    const { failure } = Simulation.run(1, (world) => {
      const draws: ReadonlyArray<Effect.Effect<unknown>> = [
        world.draw(Arbitraries.scripts),
        world.draw(Arbitrary.Constant(undefined))
      ]
      return Effect.forEach([...draws, ...draws], (draw) => Effect.map(draw, (value) => seen.push(value)))
    }, calm)
    assert.strictEqual(failure, undefined)
    assert.deepStrictEqual([seen[1], seen[3], seen.length], [undefined, undefined, 4])
    assert.notDeepEqual(seen[0], seen[2])
  })

  it("each seed draws its own profiles, templates and scripts, and lives the same again", () => {
    const drawn = Arbitrary.all({
      given: Arbitrary.all({
        profiles: Arbitrary.all({
          ada: Arbitrary.map(Arbitraries.profiles, (profile) => ({ ...profile, email: "ada@x.test" }))
        }),
        templates: Arbitrary.all({ any: Arbitraries.templates })
      }),
      vendors: Arbitrary.map(
        Arbitraries.scripts,
        (script) => [{ key: "mail", channel: "email", address: "email", script }]
      )
    })
    const story: Simulation.Story = (world) => world.send({ to: { user_id: "ada" }, template: "any" }, { key: "any" })
    const live = (seed: number) => Simulation.run(seed, story, { faults: Faults.none, drawn })
    const worlds = Array.from({ length: 60 }, (_, n) => live(n + 1))
    for (const { failure, given, requests } of worlds) {
      assert.strictEqual(failure, undefined)
      assert.strictEqual(given.profiles?.["ada"]?.["email"], "ada@x.test")
      assert.isDefined(requests[0]?.requestId)
    }
    const distinct = (of: (history: Simulation.History) => unknown) =>
      new Set(worlds.map((history) => JSON.stringify(of(history)))).size
    assert.isAbove(distinct(({ given }) => given.profiles), 30)
    assert.isAbove(distinct(({ given }) => given.templates), 30)
    assert.isAbove(distinct(({ calls }) => calls.map(({ heard, heardAt }) => [heard, heardAt])), 10)
    assert.deepStrictEqual([live(7).hash, live(7).given], [worlds[6]?.hash, worlds[6]?.given])
  })

  it("what is drawn comes before what is said, and is refused in a sentence as that is", () => {
    const none = () => Effect.void
    const nodes = (count: number) => Arbitrary.Constant({ nodes: count })
    const { failure, leftovers } = Simulation.run(1, none, { ...calm, drawn: nodes(2) })
    assert.deepStrictEqual([failure, leftovers.length], [undefined, 2])
    const refusal = (options: object) => Simulation.run(1, none, options).failure?.split("\n")[0]
    assert.include(refusal({ drawn: nodes(0) }), "options.nodes is 0, and has to be a whole number from 1")
    assert.include(refusal({ drawn: { nodes: 1 } }), "options.drawn has to be an Arbitrary")
    const nothing = Arbitrary.filter(nodes(1), () => false)
    assert.include(refusal({ drawn: nothing }), "options.drawn has no values")
  })
})
