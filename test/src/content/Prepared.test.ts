import { plainStyle } from "#test/src/content/Mails.ts"
import * as Content from "#src/content/Content.ts"
import * as Layout from "#src/content/layout/Layout.ts"
import { elements } from "#test/src/content/Rendering.ts"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const input: Content.Input = {
  content: { title: "t", body: "{{v}}" },
  channel: "email",
  provider: "smtp",
  data: { v: "v" },
  profile: {},
  context: () => ({ messageId: "1-2-3", recipient: "ada", tenantId: undefined, environment: "test" })
}

const raw = (html: string, channel = "email") =>
  elements({ type: "channel", channel, raw: { html, transformers: ["handlebars", "mjml"] } })

const mjmlOf = (more: Partial<Content.Input>): Result.Result<string | undefined, string> =>
  Result.match(Content.prepare({ ...input, ...more }), {
    onSuccess: ({ mjml }) => Result.succeed(mjml),
    onFailure: () => Result.fail("failed")
  })

describe("Content before what takes long", () => {
  it("has MJML to compile only as a mail, and none if it has failed already", () => {
    assert.deepStrictEqual(mjmlOf({ content: raw("<mjml>{{v}}") }), Result.succeed("<mjml>v"))
    assert.deepStrictEqual(mjmlOf({ content: raw("<mjml>{{#if}}") }), Result.fail("failed"))
    assert.deepStrictEqual(mjmlOf({ content: raw("<mjml>{{v}}", "push"), channel: "push" }), Result.succeed(undefined))
    assert.deepStrictEqual(mjmlOf({}), Result.succeed(undefined))
  })
})

describe("A brand's own texts", () => {
  it("may miss variables, even where a message's may not", () => {
    const branding: Content.Input["branding"] = {
      style: plainStyle("for {{missing}}"),
      layout: Layout.cut(`<p>of {{missing}}.</p>${Layout.mark("body")}`)
    }
    const rendered = Result.getOrThrow(Content.render({ ...input, throwing: true, branding }))
    assert.include(rendered.html, "<p>of .</p>")
    assert.isTrue(Result.isFailure(Content.render({ ...input, throwing: true, branding, data: {} })))
  })
})
