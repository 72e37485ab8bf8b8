import { none } from "#layers/testing/Faults.ts"
import type { Given } from "#layers/testing/Given.ts"
import * as Simulation from "#layers/testing/Simulation.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const content = { title: "For you", body: "Hello" }

/** The first line of what broke a story off before it began. */
const refusal = (given: Given): string | undefined =>
  Simulation.run(1, () => Effect.void, { given, faults: none }).failure?.split("\n")[0]

/** Who got something, each once. */
const reached = (history: Simulation.History): ReadonlyArray<string | undefined> =>
  [...new Set(history.deliveries.map(({ address }) => address))].toSorted()

describe("what a world begins with", () => {
  it("a tenant's members get its words, its brand and its defaults, in both environments", () => {
    const given: Given = {
      profiles: { ada: { email: "ada@acme.test" }, bob: { email: "bob@acme.test" }, cleo: { email: "cleo@acme.test" } },
      topics: ["onboarding", "news"],
      brands: {
        plain: { name: "Plain" },
        acme: { name: "Acme", settings: { email: { header: { barColor: "#bada55" } } } }
      },
      tenants: {
        // Before its parent, whose words and default it inherits.
        team: {
          name: "Team",
          parent_tenant_id: "acme",
          members: ["ada", { user_id: "bob", profile: { email: "bob@team.test" } }]
        },
        acme: {
          name: "Acme",
          brand_id: "acme",
          properties: { greeting: "Ahoy" },
          default_preferences: {
            items: [{ id: "onboarding", status: "REQUIRED" }, { id: "news", status: "OPTED_OUT" }]
          }
        }
      }
    }
    const story: Simulation.Story = Effect.fnUntraced(function*(world) {
      for (const environment of [1, 2] as const) {
        yield* world.change({ _tag: "Prefer", userId: "ada", topicId: "onboarding", status: "OPTED_OUT" }, environment)
        for (const topicId of ["onboarding", "news"]) {
          yield* world.send({
            to: { tenant_id: "team" },
            content: { version: "2022-01-01", elements: [{ type: "text", content: "{{tenant.properties.greeting}}" }] },
            preferences: { subscription_topic_id: topicId }
          }, { environment })
        }
      }
    })
    for (const seed of [1, 2, 3]) {
      const history = Simulation.run(seed, story, { given })
      assert.deepStrictEqual(history.failure, undefined)
      assert.strictEqual(Simulation.run(seed, story, { given }).hash, history.hash)
      for (const environment of [1, 2] as const) {
        const seen = history.deliveries.filter(({ scope }) => Number(scope) === environment)
        assert.deepStrictEqual(reached({ ...history, deliveries: seen }), ["ada@acme.test", "bob@team.test"])
        for (const { rendered, text } of seen) {
          assert.include(text, "Ahoy")
          assert.include(rendered.html, "#bada55")
        }
        const refused = history.stored.messages({ environment }).filter(({ status }) => status !== "SENT")
        assert.deepStrictEqual(refused.map(({ reason }) => reason), ["OPT_IN_REQUIRED", "OPT_IN_REQUIRED"])
      }
    }
  })

  it("an audience is who matches when it is read, also by tenants that are joined and left under way", () => {
    const given: Given = {
      profiles: {
        ada: { email: "ada@x.test", plan: "pro" },
        bob: { email: "bob@x.test", plan: "free" },
        cleo: { email: "cleo@x.test", plan: "pro" }
      },
      tenants: { acme: { name: "Acme", members: ["bob"] } },
      audiences: {
        pros: { filter: { operator: "EQ", path: "plan", value: "pro" } },
        colleagues: { name: "Of Acme", filter: { operator: "MEMBER_OF", path: "account_id", value: "acme" } },
        nobody: {}
      }
    }
    const to = (audience: string): Simulation.Story => (world) => world.send({ to: { audience_id: audience }, content })
    const moved: Simulation.Story = Effect.fnUntraced(function*(world) {
      yield* world.change({ _tag: "Join", tenantId: "acme", userId: "cleo" })
      yield* world.change({ _tag: "Leave", tenantId: "acme", userId: "bob" })
      yield* to("colleagues")(world)
    })
    const who = (story: Simulation.Story) => reached(Simulation.run(5, story, { given }))
    assert.deepStrictEqual(who(to("pros")), ["ada@x.test", "cleo@x.test"])
    assert.deepStrictEqual(who(to("colleagues")), ["bob@x.test"])
    assert.deepStrictEqual(who(to("nobody")), [])
    assert.deepStrictEqual(who(moved), ["cleo@x.test"])
  })

  it("a topic that is given whole is not written about to who never opted in", () => {
    const given: Given = {
      profiles: { ada: { email: "ada@x.test" }, bob: { email: "bob@x.test" } },
      topics: { offers: { name: "Offers", default_status: "OPTED_OUT" } }
    }
    const { deliveries } = Simulation.run(1, (world) =>
      Effect.andThen(
        world.change({ _tag: "Prefer", userId: "ada", topicId: "offers", status: "OPTED_IN" }),
        Effect.forEach(
          ["ada", "bob"],
          (user) => world.send({ to: { user_id: user }, content, preferences: { subscription_topic_id: "offers" } })
        )
      ), { given, faults: none })
    assert.deepStrictEqual(deliveries.map(({ address }) => address), ["ada@x.test"])
  })

  it("a template that is about a topic does not reach who opted out of it", () => {
    const elements = [{ type: "text", content: "Hello" }]
    const given: Given = {
      profiles: { ada: { email: "ada@x.test" }, bob: { email: "bob@x.test" } },
      topics: ["news"],
      templates: { weekly: { elements, subscription: { topic_id: "news" } }, plain: { elements, subscription: null } }
    }
    const who = (template: string) =>
      reached(Simulation.run(1, (world) =>
        Effect.andThen(
          world.change({ _tag: "Prefer", userId: "bob", topicId: "news", status: "OPTED_OUT" }),
          Effect.forEach(["ada", "bob"], (user) => world.send({ to: { user_id: user }, template }))
        ), { given, faults: none }))
    assert.deepStrictEqual(who("weekly"), ["ada@x.test"])
    assert.deepStrictEqual(who("plain"), ["ada@x.test", "bob@x.test"])
  })

  it("takes what the API takes: topics that are not there, users without a profile, a brand beside a tenant's own", () => {
    assert.strictEqual(
      refusal({
        lists: { crew: ["nobody"] },
        tenants: {
          acme: {
            name: "Acme",
            brand_id: "none",
            brand: { name: "Own" },
            default_preferences: { items: [{ id: "gone", status: "OPTED_IN" }] },
            members: ["nobody"]
          }
        },
        audiences: { all: {}, empty: { filter: { filters: [] } } }
      }),
      undefined
    )
  })

  it("a template has its brand, its tags, and fails for want of a variable if it is to", () => {
    const elements = [{ type: "text", content: "You owe {{amount}}" }]
    const given: Given = {
      brands: {
        plain: { name: "Plain" },
        acme: { name: "Acme", settings: { email: { header: { barColor: "#bada55" } } } }
      },
      templates: {
        dunning: { elements, brand: { id: "acme" }, tags: ["otp"] },
        strict: { elements, throw_on_variable_not_found: true }
      }
    }
    const story: Simulation.Story = (world) =>
      Effect.forEach(["dunning", "strict"], (template) => world.send({ to: { email: "ada@x.test" }, template }))
    const { calls, stored } = Simulation.run(1, story, { given, faults: none })
    assert.deepStrictEqual(stored.messages().map(({ status, template }) => [template, status]), [
      ["dunning", "SENT"],
      ["strict", "UNDELIVERABLE"]
    ])
    assert.deepStrictEqual(calls.map(({ rendered }) => rendered.html.includes("#bada55")), [true])
  })

  it("a template goes the way of its strategy, unless a message brings its own", () => {
    const given: Given = {
      profiles: { ada: { email: "ada@x.test", phone_number: "+15550100001" } },
      brands: {
        plain: { name: "Plain" },
        acme: { name: "Acme", settings: { email: { header: { barColor: "#bada55" } } } }
      },
      strategies: {
        texts: { name: "Texts first", routing: { method: "single", channels: ["sms", "email"] } },
        both: {
          name: "Both",
          routing: { method: "all", channels: ["sms", "email"] },
          channels: { email: { brand_id: "acme" } }
        }
      },
      templates: {
        text: { elements: [{ type: "text", content: "Hello" }], routing: { strategy_id: "texts" } },
        everywhere: { elements: [{ type: "text", content: "Hello" }], routing: { strategy_id: "both" } }
      }
    }
    const calls = (template: string, environment: Simulation.Environment, said: object = {}) =>
      Simulation.run(1, (world) => world.send({ to: { user_id: "ada" }, template, ...said }, { environment }), {
        given,
        faults: none
      }).calls
    const channels = (...args: Parameters<typeof calls>) => calls(...args).map(({ channel }) => channel).toSorted()
    for (const environment of [1, 2] as const) {
      assert.deepStrictEqual(channels("text", environment), ["sms"])
      assert.deepStrictEqual(channels("everywhere", environment), ["email", "sms"])
      assert.deepStrictEqual(channels("text", environment, { routing: { method: "single", channels: ["email"] } }), [
        "email"
      ])
      const [mail] = calls("everywhere", environment).filter(({ channel }) => channel === "email")
      assert.include(mail?.rendered.html, "#bada55")
    }
  })

  it("is refused in a sentence where the API would refuse it, or nobody would look at it", () => {
    const misspelt = { tennants: {} }
    const nameless: object = { tenants: { acme: {} } }
    const pathless: object = { strategies: { a: { name: "A" } } }
    const whole: object = { templates: { a: { name: "A", content: { elements: [] } } } }
    const pages: ReadonlyArray<readonly [Given, string]> = [
      [
        misspelt,
        "has tennants, which is none of profiles, lists, topics, templates, strategies, brands, tenants, audiences, translations, tokens, limits"
      ],
      [nameless, ".tenants.acme is refused: name: Required"],
      [
        { profiles: { ada: { profile: { email: "ada@x.test" } } } },
        ".profiles.ada has its fields within profile, where nobody looks for them"
      ],
      [{ tenants: { a: { name: "A", parent_tenant_id: "b" } } }, ".tenants.a has the parent b, which is none of them"],
      [
        { tenants: { a: { name: "A", parent_tenant_id: "b" }, b: { name: "B", parent_tenant_id: "a" } } },
        ".tenants.a is below itself: a, b, a"
      ],
      [
        { tenants: { a: { name: "A", brand_id: "b" } }, brands: { c: { name: "C" } } },
        ".tenants.a has the brand b, which is none of options.given.brands"
      ],
      [
        { tenants: { a: { name: "A", members: [""] } } },
        ".tenants.a is refused: members[0]: Must not be empty"
      ],
      [
        { audiences: { a: { filter: { operator: "EQ", path: "plan" } } } },
        ".audiences.a is refused: filter.value: EQ needs a value"
      ],
      [
        whole,
        ".templates.a has name, which is none of version, elements, tags, brand, subscription, routing, throw_on_variable_not_found"
      ],
      [
        { templates: { a: { elements: [], subscription: { topic_id: "news" } } } },
        ".templates.a has the topic news, which is none of options.given.topics"
      ],
      [
        { templates: { a: { elements: [], brand: { id: "acme" } } } },
        ".templates.a has the brand acme, which is none of options.given.brands"
      ],
      [
        { templates: { a: { elements: [], routing: { strategy_id: "texts" } } } },
        ".templates.a has the strategy texts, which is none of options.given.strategies"
      ],
      [
        {
          strategies: {
            a: { name: "A", routing: { method: "single", channels: [] }, channels: { email: { brand_id: "b" } } }
          }
        },
        ".strategies.a has a channel in the brand b, which is none of options.given.brands"
      ],
      [pathless, ".strategies.a is refused: routing: Required"],
      [{ brands: { a: { name: "" } } }, ".brands.a is refused: name: Must not be empty"],
      [{ lists: { "a b": [] } }, ".lists has \"a b\" for an id: Expected no *, # or white space"]
    ]
    for (const [given, sentence] of pages) {
      const said = refusal(given)
      assert.strictEqual(said?.replace(/^Error: options\.given ?/, ""), sentence)
    }
  })
})
