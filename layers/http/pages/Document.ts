import { Html, html } from "#layers/http/pages/Html.ts"
import { style } from "#layers/http/pages/Style.ts"
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"

/** How pages look for the readers of one environment. */
export interface Look {
  readonly name: string
  /** A checked colour. */
  readonly accent: string | undefined
}

export interface Page {
  readonly title: string
  readonly look: Look | undefined
  readonly body: Html
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The page loads and runs nothing, cannot be framed, and sends its forms only to this server. Its address holds a
 * secret, so it is neither cached nor sent on as a referrer.
 */
const guards = (sheet: string): Readonly<Record<string, string>> => ({
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(sheet).digest("base64")}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
})

/** A page that needs no script and loads nothing from elsewhere. */
export const document = ({ body, headers, look, status = 200, title }: Page): HttpServerResponse.HttpServerResponse => {
  const sheet = style(look?.accent)
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(sheet)}</style>
</head>
<body>
<main>
${look === undefined ? undefined : html`<p class="brand">${look.name}</p>`}
${body}
</main>
</body>
</html>
`
  return HttpServerResponse.text(text, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...guards(sheet), ...headers }
  })
}
