import { elements, failure, type Given, type Piece, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

const program = (template: string, more: object = {}): Piece => ({ type: "jsonnet", template, ...more })

const given = (provider: string, more: Given = {}): Given => ({ channel: "direct_message", provider, ...more })

const slack = (template: string, more?: Given) =>
  render(elements(program(template)), given("slack", more)).native?.["slackBlocks"]

const teams = (template: string, more?: Given) =>
  render(elements(program(template)), given("msteams", more)).native?.["adaptiveCard"]

const card = {
  type: "AdaptiveCard",
  $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
  version: "1.4"
}

const block = { type: "section", text: { type: "mrkdwn", text: "a" } }

describe("Programs in chat", () => {
  it("Slack gets the blocks that a program makes of the data, beside those of other elements", () => {
    const template = `
      local line(text) = { type: "section", text: { type: "plain_text", text: text } };
      [line("%s ordered %d things" % [profile("name"), std.length(data("items"))])] +
      [line(item.name + (if item.count > 1 then " x" + item.count else "")) for item in data("items")] +
      [if data("vip", false) then line("Thank you!")]`
    const data = { items: [{ name: "*Pot* <!channel>", count: 1 }, { name: "{{x}} $(x)", count: 3 }] }
    const line = (text: string) => ({ type: "section", text: { type: "plain_text", text } })
    const content = elements({ type: "meta", title: "Order" }, program(template), { type: "divider" })
    assert.deepStrictEqual(render(content, given("slack", { data, profile: { name: "Ann" } })).native, {
      slackBlocks: [
        { type: "header", text: { type: "plain_text", text: "Order", emoji: false } },
        line("Ann ordered 2 things"),
        line("*Pot* <!channel>"),
        line("{{x}} $(x) x3"),
        { type: "divider" }
      ]
    })
  })

  it("one element, an array of them and what holds several are all taken", () => {
    const said = JSON.stringify(block)
    for (const made of [said, `[${said}]`, `[null, ${said}]`, `{ blocks: [${said}] }`]) {
      assert.deepStrictEqual(slack(made), [block], made)
    }
    const item = { type: "TextBlock", text: "a" }
    const body = JSON.stringify(item)
    const whole = `{ type: "AdaptiveCard", body: [${body}] }`
    for (
      const made of [
        body,
        `[${body}]`,
        whole,
        `{ contentType: "c", content: ${whole} }`,
        `{ attachments: [{ content: ${whole} }] }`
      ]
    ) {
      assert.deepStrictEqual(teams(made), { ...card, body: [item] }, made)
    }
    const wide = `{ type: "AdaptiveCard", version: "1.5", msteams: { width: "Full" }, body: [${body}] }`
    assert.deepStrictEqual(teams(wide), { ...card, version: "1.5", msteams: { width: "Full" }, body: [item] })
    const button = (title: string) => ({ type: "Action.OpenUrl", title, url: "https://x.io" })
    const own = (title: string) =>
      `{ type: "AdaptiveCard", body: [${body}], actions: [${JSON.stringify(button(title))}] }`
    const merged = { ...card, body: [item, item], actions: [button("one"), button("two")] }
    const attached = `{ attachments: [{ content: ${own("one")} }, { content: ${own("two")} }] }`
    for (const made of [`[${own("one")}, ${own("two")}]`, attached]) assert.deepStrictEqual(teams(made), merged, made)
    assert.strictEqual(slack("[]"), undefined)
  })

  it("an author's own buttons are not joined to others", () => {
    const own = { type: "actions", elements: [{ type: "button", action_id: "x" }] }
    const button: Piece = { type: "action", content: "Go", href: "https://x.io" }
    const found = render(elements(button, program(JSON.stringify(own)), button), given("slack")).native?.["slackBlocks"]
    assert.isTrue(Array.isArray(found) && found.length === 3)
    assert.deepStrictEqual(Array.isArray(found) ? found[1] : undefined, own)
  })

  it("a loop, a condition, a locale and the older name of the field hold as for other elements", () => {
    const looped = program("{ type: std.extVar(\"item\") + std.extVar(\"index\") }", {
      loop: "data.all",
      if: "$.item != 'b'"
    })
    assert.deepStrictEqual(
      render(elements(looped), given("slack", { data: { all: ["a", "b", "c"] } })).native?.["slackBlocks"],
      [{ type: "a0" }, { type: "c2" }]
    )
    const spoken = program("{ type: \"en\" }", { locales: { es: "{ type: \"es\" }" } })
    for (const locale of ["en", "es"]) {
      const made = render(elements(spoken), given("slack", { profile: { locale } })).native
      assert.deepStrictEqual(made?.["slackBlocks"], [{ type: locale }])
    }
    const older = { type: "jsonnet", content: "{ type: \"divider\" }" }
    assert.deepStrictEqual(render(elements(older), given("slack")).native?.["slackBlocks"], [{ type: "divider" }])
  })

  it("elsewhere it is nothing, not even a failure", () => {
    const content = elements({ type: "text", content: "x" }, program("this is no program"))
    for (const channel of ["inbox", "sms", "push", "webhook", "email"]) {
      for (const provider of [channel, "slack"])
        assert.strictEqual(render(content, { channel, provider }).text.trim(), "x", `${channel} ${provider}`)
    }
    assert.strictEqual(render(content, given("discord")).body, "x")
    const hidden = elements({ type: "text", content: "x" }, program("no", { channels: ["msteams"] }))
    assert.strictEqual(failure(hidden, given("slack")), "rendered")
  })

  it("a wrong program fails the rendering with a sentence", () => {
    const cases: ReadonlyArray<readonly [string, string, string | RegExp]> = [
      ["slack", "{ type: nme }", "The jsonnet is malformed at 1:9: there is nothing of the name \"nme\""],
      ["slack", "{ type: 1 / 0 }", "The jsonnet fails at 1:11: a division by zero"],
      ["slack", "\"x\"", /^The jsonnet makes something else than a block of Slack's/],
      ["slack", "[{ text: 1 }]", /^The jsonnet makes something else/],
      ["slack", "{ type: \"\" }", /^The jsonnet makes something else/],
      ["msteams", "{ body: [] }", /^The jsonnet makes something else than an element of an adaptive card/],
      ["slack", "[{ type: \"divider\" } for n in std.range(1, 51)]", "Slack takes no more than 50 blocks"],
      [
        "msteams",
        "{ type: \"TextBlock\", text: std.repeat(\"a\", 39000) }",
        "The card is empty, or longer than Teams takes"
      ],
      ["slack", "std.foldl(function(a, b) { type: \"a\", a: a }, std.range(1, 60), 0)", /nested more than 32 deep$/],
      ["slack", "", /^The jsonnet is malformed at 1:1/]
    ]
    for (const [provider, template, detail] of cases) {
      const said = failure(elements(program(template)), given(provider))
      if (typeof detail === "string") assert.strictEqual(said, detail, template)
      else assert.match(said, detail, template)
    }
  })

  it("what a program makes is nested 32 deep at most, in lists as in objects", () => {
    const nested = (depth: number, open: string, close: string) =>
      failure(elements(program(`{ type: "a", a: ${open.repeat(depth)}1${close.repeat(depth)} }`)), given("slack"))
    for (const [open, close] of [["[", "]"], ["{ a: ", "}"]] as const) {
      assert.notMatch(nested(30, open, close), /nested/)
      assert.strictEqual(nested(31, open, close), "What the jsonnet makes is nested more than 32 deep")
    }
  })

  it("a program is its element's template, or else its content", () => {
    const both = { type: "jsonnet", template: "{ type: \"a\" }", content: "{ type: \"b\" }" }
    const made = (piece: Piece) => render(elements(piece), given("slack")).native?.["slackBlocks"]
    assert.deepStrictEqual(made(both), [{ type: "a" }])
    assert.deepStrictEqual(made({ ...both, template: null }), [{ type: "b" }])
  })

  it("all the programs of a message share its one budget", () => {
    const busy = program("[{ type: \"a\" + std.foldl(function(a, n) a + n, std.range(1, 3000), 0) }]")
    assert.strictEqual(failure(elements(busy), given("slack")), "rendered")
    const many = Array.from({ length: 20 }, () => busy)
    assert.match(failure(elements(...many), given("slack")), /more than 50000 steps/)
  })
})
