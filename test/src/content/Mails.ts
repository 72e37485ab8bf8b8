import type { Rendered } from "#schemas/Rendered.ts"
import * as Content from "#src/content/Content.ts"
import type { Branding } from "#src/content/layout/Branding.ts"
import { cut, mark } from "#src/content/layout/Layout.ts"
import { render } from "#test/src/content/Rendering.ts"
import { Result, Schema } from "effect"

/** The style of a brand of which only the footer is said. */
export const plainStyle = (footer: string): Branding["style"] => ({
  name: "Tea",
  accent: undefined,
  bar: undefined,
  logo: undefined,
  head: "",
  footer,
  social: [],
  width: 600,
  page: undefined,
  card: undefined,
  footerColor: undefined,
  override: undefined
})

/** A brand whose page and footer have variables; it names the shop before and after what the mail says. */
const branding: Branding = {
  style: plainStyle("for {{profile.name}}"),
  layout: cut(
    `<html lang="${mark("lang")}"><title>${mark("title")}</title><p>${mark("preheader")}</p><h1>Tea</h1>${mark("body")}`
      + `</div>of {{data.shop}}, ${mark("footer")}${mark("align")}<!-- the end --></html>`
  )
}

const said = { title: "{{title}}", body: "{{body}}" }

/** A mail in that brand's page. */
export const branded = (title: string, body: string, shop: string): Rendered =>
  Result.getOrThrow(Content.render({
    content: said,
    channel: "email",
    provider: "smtp",
    data: { title, body, shop },
    profile: { name: "Ada" },
    branding,
    context: () => ({ messageId: "1-2-3", recipient: "ada", tenantId: undefined, environment: "test" })
  }))

/** What a mail is made of, for properties. */
export const Letter = Schema.Struct({
  title: Schema.String,
  body: Schema.String,
  shop: Schema.NullOr(Schema.String),
  locale: Schema.Literals(["", "de", "ar"])
})

/** The mail; without a shop it has no brand. */
export const mail = ({ body, locale, shop, title }: typeof Letter.Type): Rendered =>
  shop === null
    ? render(said, { channel: "email", data: { title, body }, profile: { locale } })
    : branded(title, body, shop)
