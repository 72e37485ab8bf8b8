import { none } from "#layers/testing/Faults.ts"
import type { Given } from "#layers/testing/Given.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** The first line of what broke a story off before it began. */
const refusal = (given: Given): string | undefined =>
  Simulation.run(1, () => Effect.void, { given, faults: none }).failure?.split("\n")[0]

describe("a tenant that a world begins with", () => {
  it("has templates of its own: each replaces the one of its id, in sends to it alone", () => {
    const text = (content: string) => ({ version: "2022-01-01", elements: [{ type: "text", content }] }) as const
    const given: Given = {
      profiles: { ada: { email: "ada@acme.test" }, bob: { email: "bob@acme.test" } },
      templates: { welcome: text("Hello") },
      tenants: { acme: { name: "Acme", members: ["ada"], templates: { welcome: { content: text("Ahoy") } } } }
    }
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* world.send({ to: { user_id: "bob" }, template: "welcome" })
      yield* world.send({ to: { user_id: "ada" }, template: "welcome", tenant_id: "acme" })
    })
    const { deliveries, failure } = Simulation.run(1, story, { given, faults: none })
    const said = deliveries.map(({ text }) => /Hello|Ahoy/.exec(text)?.[0])
    assert.deepStrictEqual([failure, said.toSorted()], [undefined, ["Ahoy", "Hello"]])
    const branded = { content: text("Ahoy"), channels: { email: { brand_id: "blue" } } }
    assert.strictEqual(
      refusal({ tenants: { acme: { name: "Acme", templates: { welcome: branded } } } }),
      "Error: options.given.tenants.acme.templates.welcome has a channel in the brand blue, which is none of options.given.brands"
    )
    // As `templates` has it.
    const bare = { tenants: { acme: { name: "Acme", templates: { welcome: text("Ahoy") } } } }
    assert.match(
      Reflect.apply(refusal, undefined, [bare]),
      /options\.given\.tenants\.acme is refused: templates\.welcome\.content: /
    )
  })
})
