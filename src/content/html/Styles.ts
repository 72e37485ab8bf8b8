/**
 * The styles of a mail's parts. They are inline, since many mail clients drop style sheets; classes are only for styles
 * that may be dropped.
 */
export const font = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

export const colors = {
  page: "#f3f4f6",
  card: "#ffffff",
  text: "#1f2937",
  muted: "#6b7280",
  rule: "#e5e7eb",
  link: "#1d4ed8",
  button: "#2563eb",
  code: "#f3f4f6"
} as const

export const texts = {
  text: "",
  subtext: `font-size:14px;line-height:20px;color:${colors.muted}`,
  h1: "font-size:26px;line-height:34px;font-weight:700",
  h2: "font-size:21px;line-height:28px;font-weight:700",
  h3: "font-size:17px;line-height:24px;font-weight:700"
} as const

/**
 * Narrow screens get less padding, and columns below each other. Dark screens get the same contrast with colors
 * reversed.
 */
export const sheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
table{border-collapse:separate;border-spacing:0}
@media (max-width:480px){
.outer{padding:12px 8px!important}
.card{padding:24px 20px 8px!important}
.col{display:block!important;width:100%!important;padding-left:0!important;padding-right:0!important;box-sizing:border-box}
}
@media (prefers-color-scheme:dark){
.page{background-color:#111318!important}
.card{background-color:#1c1f26!important;border-color:#30343d!important;color:#e5e7eb!important}
.sub{color:#a3aab8!important}
.rule{border-color:#3a3f4a!important}
.link{color:#93b8ff!important}
.code{background-color:#2a2e37!important}
}`
