import { Schema } from "effect"

/** What a header may contain: a line end in an API key would begin a second header. */
const headerText = /^[\x20-\x7e]+$/

/** A secret of one line, stored encrypted and shown masked. */
export const secret = Schema.RedactedFromValue(
  Schema.String.check(Schema.isPattern(headerText, { message: "Expected one line of ASCII text" }))
)

/** A private key in PEM; a literal `\n`, as in copied JSON, counts as a line end. */
export const privateKey = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.isPattern(/-----BEGIN [A-Z ]*PRIVATE KEY-----/, { message: "Expected a private key in PEM" })
  )
)

/** One line of printable text. */
export const line = Schema.String.check(
  Schema.isPattern(/^[^\u0000-\u001f\u007f]+$/, { message: "Expected one line of text" })
)

/** One segment of a path. */
export const segment = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_.:-]+$/, { message: "Expected letters, digits and _.:- only" })
)

const isBase = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ""
}

/** The length of URL that clients and servers accept everywhere. */
const longestUrl = 2_048

/** An absolute http(s) URL without credentials, query or fragment. */
export const url = Schema.String.check(
  Schema.isMaxLength(longestUrl),
  Schema.makeFilter((text: string) => isBase(text) || "an absolute http(s) URL")
)

/** `url`, and a fragment. */
export const urlWithFragment = Schema.String.check(
  Schema.isMaxLength(longestUrl),
  Schema.makeFilter((text: string) => isBase(text.replace(/#.*$/s, "")) || "an absolute http(s) URL")
)

/** The names of the settings that name a host; only some vendors have those of tokens and look-ups. */
export const places: ReadonlyArray<string> = ["base_url", "token_url", "graph_url"]

/** A setting of every vendor over HTTP: the address of its API, in place of the vendor's own. */
export const baseUrl = { base_url: Schema.optionalKey(url) }

/** The configured base without a trailing slash, else the vendor's own. */
export const baseOf = (settings: { readonly base_url?: string }, own: string): string =>
  (settings.base_url ?? own).replace(/\/+$/, "")
