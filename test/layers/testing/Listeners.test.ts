import * as Faults from "#layers/testing/Faults.ts"
import type { ListenerOptions } from "#layers/testing/ListenerOptions.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const hello: Simulation.Story = ({ send }) =>
  send({ to: { email: "ada@x.test" }, content: { title: "t", body: "b" } }, { key: "hello" })

const live = (listeners: ReadonlyArray<ListenerOptions>, story = hello) =>
  Simulation.run(1, story, { listeners, faults: Faults.none })

interface Told {
  readonly type: string
  readonly data: { readonly id: string; readonly status?: string }
}

const toldTo = ({ tellings }: Simulation.History, name: string) =>
  tellings.filter(({ listener }) => listener === name).map(({ body, calledAt, heard, heardAt = 0 }) => {
    const { data, type }: Told = JSON.parse(body)
    return { type, status: data.status, calledAt, heard, heardAt }
  })

describe("the listeners of a world", () => {
  it("are told of each status that a message gets, in its environment, until they have taken it", () => {
    const history = live([{ name: "crm" }])
    const { calls: [call], drained, tellings: [told] } = history
    assert.isTrue(drained)
    const statuses = toldTo(history, "crm").map(({ status }) => status)
    assert.deepStrictEqual(statuses.toSorted(), ["ENQUEUED", "ROUTED", "SENT"])
    assert.deepStrictEqual([told?.scope, told?.taken, told?.heard], [call?.scope, true, "accepted"])
    assert.isDefined(told?.headers["courier-signature"])
  })

  it("are told of what they want alone", () => {
    const elements = [{ type: "text" as const, content: "new" }]
    const story: Simulation.Story = (world) =>
      Effect.andThen(hello(world), world.change({ _tag: "Publish", templateId: "weekly", template: { elements } }, 2))
    const history = Simulation.run(1, story, {
      listeners: [{ name: "crm", types: ["message:updated"] }, { name: "cms", types: ["notification:published"] }],
      given: { templates: { weekly: { elements: [] } } },
      faults: Faults.none
    })
    assert.deepStrictEqual(toldTo(history, "crm").map(({ type }) => type), Array(3).fill("message:updated"))
    assert.deepStrictEqual(toldTo(history, "cms").map(({ type }) => type), ["notification:published"])
    assert.deepStrictEqual(history.tellings.find(({ listener }) => listener === "cms")?.scope, 2)
  })

  it("refuse as their scripts say, and are told again when they have asked for it", () => {
    const script = [{ _tag: "Refuse", after: 20, kind: "RateLimited", retryAfter: 90_000 } as const]
    const history = live([{ name: "busy", types: ["message:updated"], script }])
    const [first, ...others] = toldTo(history, "busy")
    assert.deepInclude(first, { heard: "refused" })
    const again = others.find(({ status }) => status === first?.status)
    assert.isAtLeast((again?.calledAt ?? 0) - (first?.heardAt ?? 0), 90_000)
    assert.deepStrictEqual(others.map(({ heard }) => heard), Array(others.length).fill("accepted"))
    assert.isTrue(history.drained)
  })

  it("may be away, and hang: nobody knows then whether they have heard it", () => {
    const history = live([
      { name: "away", down: [{ from: 0, until: 20_000 }] },
      { name: "slow", script: [{ _tag: "Accept", after: 60_000 }] }
    ])
    const away = toldTo(history, "away")
    assert.isTrue(away.every(({ calledAt, heard }) => heard === (calledAt < 20_000 ? "refused" : "accepted")))
    assert.isAtLeast(away.length, 6)
    const lost = toldTo(history, "slow").filter(({ heard }) => heard === "lost")
    assert.deepStrictEqual(lost.map(({ calledAt, heardAt }) => heardAt - calledAt), [10_000])
    assert.include(Simulation.timeline(history).join("\n"), "and its answer is lost")
  })

  it("have names of their own, and ask for what there is", () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<ListenerOptions>, string]> = [
      [[{ name: "crm" }, { name: "crm" }], "options.listeners has more than one crm"],
      [
        [{ name: "crm", down: [{ from: 5, until: 5 }] }],
        "The listener crm is down from 5 until 5, and that has to be from a whole number until a later one"
      ],
      [
        Array.from({ length: 11 }, (_, n) => ({ name: `crm-${n}` })),
        "options.listeners has 11, and 10 are the most"
      ]
    ]
    for (const [listeners, sentence] of cases)
      assert.strictEqual(live(listeners).failure?.split("\n")[0], `Error: ${sentence}`)
    assert.match(live([{ name: "not a host" }]).failure ?? "", /options\.listeners\[0\]\.name: /)
    assert.match(
      live([Object.assign({}, { name: "crm" }, { type: "all" })]).failure ?? "",
      /The listener crm has type, which is none of name, types, down, script/
    )
  })
})
