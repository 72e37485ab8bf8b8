import { Option } from "effect"

const decoded = Option.liftThrowable(decodeURIComponent)

/**
 * Whether this can be the URL of a server. An unescaped `#` or `/` in a password ends the host's part: pieces of the
 * password would then be reported as the host that cannot be found (P9).
 */
const isUrl = (text: string, scheme: RegExp): boolean => {
  if (!scheme.test(text) || !URL.canParse(text)) return false
  const { hash, hostname, password, pathname, username } = new URL(text)
  return hash === "" && !pathname.includes("@") &&
    [hostname, password, pathname, username].every((part) => Option.isSome(decoded(part)))
}

const tlsModes: ReadonlyArray<string> = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** Whether the URL asks for TLS in words that the client passes over: it would connect in plain text, and say nothing. */
const asksInVain = (url: string): boolean =>
  new URL(url).searchParams.entries().some(([name, value]) =>
    /^ssl(?:mode)?$/i.test(name) && !(name === "sslmode" && tlsModes.includes(value))
  )

/** Whether this can be a `DATABASE_URL`. */
export const isDatabase = (text: string): boolean => isUrl(text, /^postgres(ql)?:\/\//) && !asksInVain(text)

/** Whether this can be a `REDIS_URL`. The client dies of a path that is no number, where nobody hears it. */
export const isRedis = (text: string): boolean =>
  isUrl(text, /^rediss?:\/\//) && /^(?:\/\d*)?$/.test(new URL(text).pathname)
