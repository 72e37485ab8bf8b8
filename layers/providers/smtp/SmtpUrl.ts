import { SmtpSettings } from "#layers/providers/smtp/Settings.ts"
import { Option, Schema } from "effect"

/** `null` if there is nothing; `undefined` if it is not percent-encoded. */
const decoded = (text: string): string | null | undefined =>
  text === "" ? null : Option.getOrUndefined(Option.liftThrowable(decodeURIComponent)(text))

const parameters = ["from", "require_tls"]

/** Whether something is left over: `/`, `?` and `#` in a password that is not percent-encoded end the host's part. */
const hasMore = ({ hash, pathname }: URL, query: URLSearchParams): boolean =>
  hash !== "" || pathname.length > 1 ||
  query.keys().some((name) => !parameters.includes(name) || query.getAll(name).length > 1)

const read = Schema.decodeUnknownOption(SmtpSettings)

/** What an `SMTP_URL` has to be. */
export const form = "smtp[s]://user:password@host:port?from=address, user and password percent-encoded; " +
  "require_tls beside from is true or false"

/**
 * `smtp://user:password@host:587?from=address` as settings; `smtps:` is TLS from the first byte. The user is the sender
 * if no other is given. `undefined`: it is none.
 */
export const parse = (text: string): Schema.JsonObject | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const { hostname: host, port, protocol, search } = url
  // As in any URI, and not as in a form, where a plus is a blank: addresses have some.
  const query = new URLSearchParams(search.replaceAll("+", "%2B"))
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (!/^smtps?:$/.test(protocol) || hasMore(url, query) || username === undefined || password === undefined) {
    return undefined
  }
  const requireTls = query.get("require_tls")
  if (requireTls !== null && requireTls !== "true" && requireTls !== "false") return undefined
  const settings = {
    host: host.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? null : Number(port),
    secure: protocol === "smtps:" ? true : null,
    require_tls: requireTls === null ? null : requireTls === "true",
    username,
    password,
    from_address: query.get("from") ?? username
  }
  return Option.isSome(read(settings)) ? settings : undefined
}
