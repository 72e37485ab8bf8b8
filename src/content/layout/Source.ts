import { escape } from "#src/content/html/Escape.ts"
import { colors, font } from "#src/content/html/Styles.ts"
import type { Style } from "#src/content/layout/Branding.ts"
import { mark } from "#src/content/layout/Layout.ts"

const dark = `@media (prefers-color-scheme:dark){
.page,.page>div{background-color:#111318!important}
.card,.card>table{background:#1c1f26!important;background-color:#1c1f26!important}
.card div{color:#e5e7eb!important}
.small div,.sub{color:#a3aab8!important}
.rule{border-color:#3a3f4a!important}
.link{color:#93b8ff!important}
.code{background-color:#2a2e37!important}
}`

const narrow = `@media (max-width:480px){
.col{display:block!important;width:100%!important;padding-left:0!important;padding-right:0!important;box-sizing:border-box}
}`

const section = (attributes: string, inside: string): string =>
  `<mj-section direction="${mark("direction")}" ${attributes}><mj-column direction="${
    mark("direction")
  }">${inside}</mj-column></mj-section>`

const words = (inside: string, padding = "0"): string =>
  `<mj-text padding="${padding}" align="${mark("align")}">${inside}</mj-text>`

/** An address or a name as an attribute: nothing of it is a template, which would fail every mail if it were none. */
const literal = (text: string): string => escape(text).replaceAll("{", "&#123;")

const logo = ({ logo: shown, name }: Style): string => {
  if (shown === undefined) return ""
  const link = shown.href === "" ? "" : ` href="${literal(shown.href)}"`
  return `<mj-image align="${mark("align")}" width="160px" padding="0" alt="${literal(name)}" src="${
    literal(shown.image)
  }"${link} />`
}

const header = (style: Style): string => {
  const { bar, card = colors.card, override } = style
  if (override !== undefined && override.header !== "") {
    return override.isMjml ? override.header : section("padding=\"0\"", words(override.header))
  }
  const top = bar === undefined ? "" : ` border-top="6px solid ${bar}"`
  const padding = style.logo === undefined ? "16px 32px 0" : "24px 32px 8px"
  return section(`css-class="card" background-color="${card}"${top} padding="${padding}"`, logo(style))
}

const footer = ({ footerColor, override }: Style): string => {
  if (override !== undefined && override.footer !== "") {
    return override.isMjml ? override.footer : section("padding=\"0\"", words(override.footer))
  }
  const background = footerColor === undefined ? "" : ` background-color="${footerColor}"`
  return section(
    `css-class="small"${background} padding="16px 32px 24px"`,
    `<mj-text padding="0" align="center" font-size="13px" line-height="20px" color="${colors.muted}">${
      mark("footer")
    }</mj-text>`
  )
}

/** The MJML of a brand's mails, with markers for the slots that each mail fills (api.md §9). */
export const source = (style: Style): string => {
  const { card = colors.card, override, page = colors.page, width } = style
  const head = override === undefined ? "" : override.head
  const own = override?.isMjml === true ? head : head === "" ? "" : `<mj-raw>${head}</mj-raw>`
  return `<mjml lang="${mark("lang")}" dir="${mark("dir")}">
<mj-head>
<mj-title>${mark("title")}</mj-title>
<mj-preview>${mark("preheader")}</mj-preview>
<mj-attributes>
<mj-all font-family="${font}" />
<mj-text font-size="16px" line-height="24px" color="${colors.text}" />
</mj-attributes>
<mj-raw><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></mj-raw>
<mj-style>${narrow}
${dark}</mj-style>
${style.head === "" ? "" : `<mj-raw>${style.head}</mj-raw>`}
${own}
</mj-head>
<mj-body css-class="page" background-color="${page}" width="${width}px">
<mj-spacer height="24px" />
${header(style)}
${section(`css-class="card" background-color="${card}" padding="16px 32px"`, words(mark("body")))}
${footer(style)}
</mj-body>
</mjml>
`
}
