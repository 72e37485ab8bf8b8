import { body, elements, failure, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"

describe("Variables", () => {
  it("finds the roots of a template", () => {
    const data = { "first_name": "Ada", "recipient": "mine", "user": { "tags": ["a", "b"] }, "data": "key" }
    const profile = { "email": "a@b.c" }
    const seen = (path: string): string => body(`{{${path}}}`, { data, profile })
    assert.deepStrictEqual(
      [
        "first_name",
        "data.first_name",
        "profile.email",
        "$.profile.email",
        "messageId",
        "recipient",
        "$.recipient",
        "tenant.id",
        "$.tenant.id",
        "courier.environment",
        "user.tags.[1]",
        "user.tags",
        "missing.deeper",
        "profile.missing"
      ]
        .map(seen),
      ["Ada", "Ada", "a@b.c", "a@b.c", "1-2-3", "mine", "ada", "acme", "acme", "test", "b", "a,b", "", ""]
    )
  })

  it("fills in the short form of a path, {$.path}, and leaves other braces alone", () => {
    const data = { "n": 1, "list": ["a", "b"], "mark": "{$.data.n}" }
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["{$.tenant.name}, {$.data.n}{$.data.n}: {$.profile.none}.", "Acme Ltd, 11: ."],
      ["{{data.n}}{$.urls.unsubscribe}{{data.n}}", "1https://x.io/u1"],
      ["{{default missing \"{$.data.n}\"}}", "{$.data.n}"],
      [
        "{n} {data.n} {$} {$.} {$.data.} {$.data n} { $.data.n} ${n} {\"$.n\": 1}",
        "{n} {data.n} {$} {$.} {$.data.} {$.data n} { $.data.n} ${n} {\"$.n\": 1}"
      ],
      // Data is data, and a backslash takes the meaning away as it does of the long form.
      ["{{mark}} {$.data.mark}", "{$.data.n} {$.data.n}"],
      ["\\{$.data.n}", "{$.data.n}"]
    ]
    for (const [source, said] of examples) assert.strictEqual(body(source, { data }), said, source)
    assert.strictEqual(render({ title: "{$.data.n}", body: "x" }, { data }).title, "1")
    const looped = elements({ type: "text", content: "{$.item}{$.index}", loop: "data.list" })
    assert.strictEqual(render(looped, { data }).body, "a0\nb1")
  })

  it("where the template says so a variable that is not there fails the rendering", () => {
    const data = { "n": null, "zero": 0, "empty": "", "o": { "a": 1 } }
    const strict = (source: string): string => failure({ title: "t", body: source }, { data, throwing: true })
    for (const source of ["{{missing}}", "a {{o.b}}", "{{#with o}}{{b}}{{/with}}", "{{var \"o.b\"}}", "{$.data.o.b}"])
      assert.match(strict(source), /^The variable "[$a-z.]+" was not found$/, source)
    const held =
      "{{n}}{{zero}}{{empty}}{{o.a}}{{#if missing}}{{missing}}{{/if}}{{default missing \"x\"}}{{path \"missing\"}}"
    assert.strictEqual(strict(held), "rendered")
    assert.strictEqual(body("[{{missing}}{{var \"o.b\"}}{$.data.o.b}]", { data }), "[]")
    const parted = elements(
      { type: "text", content: "{{missing}}", channels: ["email"] },
      { type: "text", content: "fine" }
    )
    assert.strictEqual(failure(parted, { data, throwing: true, channel: "sms" }), "rendered")
    assert.include(failure(parted, { data, throwing: true, channel: "email" }), "missing")
  })
})
