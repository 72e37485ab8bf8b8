import { plainStyle } from "#test/src/content/Mails.ts"
import { limits } from "#src/content/Budget.ts"
import * as Content from "#src/content/Content.ts"
import { body, failure, render } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

describe("Content of a title and a body", () => {
  it("is text where nothing in it has a meaning, and only there", () => {
    const examples: ReadonlyArray<readonly [string, string]> = [
      ["*a*", "a"],
      ["_a_", "a"],
      ["~~a~~", "a"],
      ["`a`", "a"],
      ["[a](https://x.io)", "a (https://x.io)"],
      ["a \\# b\\.", "a # b."],
      ["{{v}}", "1"],
      ["{$.data.v}", "1"],
      ["<a> & (b) # c > d - e! f|g", "<a> & (b) # c > d - e! f|g"]
    ]
    for (const [source, said] of examples) assert.strictEqual(body(source, { data: { v: 1 } }), said, source)
    assert.strictEqual(render({ title: "{{v}}", body: "b" }, { data: { v: 1 } }).title, "1")
    assert.strictEqual(render({ title: "*a*\n\nb", body: "b" }).title, "*a* b")
    for (const elements of [null, []]) assert.strictEqual(render({ body: "b", elements }).body, "b")
    assert.strictEqual(render({ body: "b", elements: [{ type: "text", content: "c" }] }).body, "b\nc")
  })

  it("has HTML up to a limit, and no more", () => {
    for (const begin of ["", "*"]) {
      const of = (length: number) => ({ title: "t", body: begin + "x".repeat(length) })
      const around = render(of(1_000), { channel: "email" }).html.length - 1_000
      const most = limits.output - around
      assert.strictEqual(render(of(most), { channel: "email" }).html.length, limits.output)
      assert.match(failure(of(most + 1), { channel: "email" }), /more than 1048576 characters of HTML/)
    }
  })

  it("has the brand's page as a mail; on other channels it has nothing of it, whatever is wrong with it", () => {
    const branding: Content.Input["branding"] = {
      style: plainStyle("{{#if}}"),
      layout: undefined
    }
    const of = (channel: string) =>
      Content.render({
        content: { title: "t", body: "a *b*" },
        channel,
        provider: channel,
        data: {},
        profile: {},
        branding,
        context: () => ({ messageId: "1", recipient: "ada", tenantId: undefined, environment: "test" })
      })
    assert.isTrue(Result.isFailure(of("email")))
    for (const channel of ["sms", "push", "inbox", "direct_message"])
      assert.strictEqual(Result.getOrThrow(of(channel)).text, "a b")
  })
})
