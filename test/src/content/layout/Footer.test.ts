import { Budget } from "#src/content/Budget.ts"
import { document } from "#src/content/Elemental.ts"
import { styleOf } from "#src/content/layout/Branding.ts"
import { footer } from "#src/content/layout/Footer.ts"
import * as Plain from "#src/content/Plain.ts"
import { nothing } from "#test/src/content/Scopes.ts"
import { assert, describe, it } from "@effect/vitest"

/** The footer of a brand's mail as text, with this value of `{{v}}`. */
const said = (
  written: { readonly markdown?: string; readonly social?: Record<string, { readonly url: string }> },
  v = ""
) => {
  const style = styleOf({ id: "tea", name: "Tea", settings: { email: { footer: written } }, snippets: {} })
  const blocks = footer(style, { ...nothing, data: { v } }, new Budget())
  return Plain.text(blocks, { between: "\n\n", withActions: true, isLetter: true })
}

describe("The footer of a brand's mails (api.md §9)", () => {
  it("is the brand's markdown, then its networks side by side", () => {
    const social = { twitter: { url: "https://t.example" }, medium: { url: "https://m.example" } }
    const networks = "Medium (https://m.example) · Twitter (https://t.example)"
    assert.strictEqual(said({ markdown: "**Tea** {{v}}", social }, "& Co"), `Tea & Co\n\n${networks}`)
    assert.strictEqual(said({ social }), networks)
    assert.strictEqual(said({}), "")
  })

  it("what data says in it is never markdown", () => {
    for (const value of ["**b** _i_", "[here](https://evil.example)", "a\n\n# title", "a\n- item", "`c`"]) {
      assert.strictEqual(said({ markdown: "For {{v}}" }, value), `For ${value}`)
    }
  })

  it("is not failed by a variable that is missing, though its message would be", () => {
    const written = { footer: { markdown: "**Tea** {{nope}}" } }
    const style = styleOf({ id: "tea", name: "Tea", settings: { email: written }, snippets: {} })
    const rendered = (body: string) => {
      const budget = new Budget()
      const place = { channel: "email", providers: [], locale: undefined }
      const found = document({ title: "t", body }, { ...place, style, budget, scope: { ...nothing, throwing: true } })
      return budget.failure?.detail ?? Plain.text(found.footer, { between: "", withActions: true, isLetter: true })
    }
    assert.strictEqual(rendered("b"), "Tea ")
    assert.strictEqual(rendered("{{nope}}"), "The variable \"nope\" was not found")
  })
})
