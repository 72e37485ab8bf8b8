import { none } from "#layers/testing/Faults.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content = { title: "Hello", body: "Ada" }
const push = { method: "single" as const, channels: ["push"] }
const vendors: ReadonlyArray<Simulation.VendorOptions> = [{ key: "app", channel: "push", address: "expo" }]

/** The first line of what broke a story off. */
const refusal = (given: object): string | undefined =>
  Reflect.apply(Simulation.run, undefined, [1, () => Effect.void, { given, faults: none }]).failure?.split("\n")[0]

describe("the devices of a world's users", () => {
  it("are where pushes go, as they are by then, in both environments", () => {
    const given: Simulation.Given = {
      profiles: { ada: {} },
      tokens: { ada: [{ token: "old", provider_key: "expo" }, { token: "other", provider_key: "apn" }] }
    }
    const story: Simulation.Story = Effect.fnUntraced(function*({ change, send }) {
      const hello = (environment: Simulation.Environment) =>
        send({ to: { user_id: "ada" }, content, routing: push }, { environment })
      yield* hello(1)
      yield* hello(2)
      yield* Effect.sleep("1 minute")
      yield* change({ _tag: "PutToken", userId: "ada", token: "new", device: { provider_key: "expo" } })
      yield* hello(1)
      yield* Effect.sleep("1 minute")
      yield* change({ _tag: "DeleteToken", userId: "ada", token: "old" })
      yield* hello(1)
      yield* Effect.sleep("1 minute")
      yield* change({ _tag: "DeleteToken", userId: "ada", token: "new" })
      yield* hello(1)
    })
    const { deliveries, failure, stored } = Simulation.run(1, story, { given, vendors, faults: none })
    assert.strictEqual(failure, undefined)
    const reached = (environment: number) =>
      deliveries.filter(({ scope }) => Number(scope) === environment).map(({ address }) => address)
    assert.deepStrictEqual([reached(1), reached(2)], [["old", "new old", "new"], ["old"]])
    assert.strictEqual(stored.messages().at(-1)?.status, "UNROUTABLE")
  })

  it("are such as the API takes", () => {
    assert.match(
      refusal({ tokens: { ada: [{ token: "t", provider_key: "pager" }] } }) ?? "",
      /options\.given\.tokens\.ada is refused: .*provider_key: /
    )
  })
})

describe("the translations of a world", () => {
  const po = (text: string) => `msgid "greeting"\nmsgstr "${text}"\n`

  it("are what its users read, by their locale, as they are by then", () => {
    const given: Simulation.Given = {
      profiles: { ada: { email: "ada@x.test", locale: "de-AT" }, bob: { email: "bob@x.test" } },
      templates: { hello: { elements: [{ type: "text", content: "{{t \"greeting\"}}" }] } },
      translations: { de: po("Hallo") }
    }
    const story: Simulation.Story = Effect.fnUntraced(function*({ change, send }) {
      const hello = send({ to: [{ user_id: "ada" }, { user_id: "bob" }], template: "hello" })
      yield* hello
      yield* Effect.sleep("1 minute")
      yield* change({ _tag: "Translate", locale: "de_AT", po: po("Servus") })
      yield* hello
    })
    const { deliveries, failure } = Simulation.run(1, story, { given, faults: none })
    assert.strictEqual(failure, undefined)
    const read = deliveries.map(({ address, text }) => [address, /Hallo|Servus|greeting/.exec(text)?.[0]])
    assert.sameDeepMembers(read, [
      ["ada@x.test", "Hallo"],
      ["bob@x.test", "greeting"],
      ["ada@x.test", "Servus"],
      ["bob@x.test", "greeting"]
    ])
  })

  it("are such as the API takes", () => {
    assert.include(refusal({ translations: { "a b": po("x") } }), "options.given.translations has \"a b\" for an id")
    assert.include(refusal({ translations: { de: "msgid" } }), "options.given.translations.de is refused: ")
  })
})
