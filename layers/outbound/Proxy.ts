import { Config, Option, Redacted, Result } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import { Buffer } from "node:buffer"

/** A proxy of the operator's, which opens tunnels (CONNECT, RFC 9110 §9.3.6). */
export interface Proxy {
  readonly host: string
  readonly port: number
  /** Speaks TLS itself. */
  readonly secure: boolean
  /** The value of `proxy-authorization`. */
  readonly login: Redacted.Redacted | undefined
}

/** By which proxy a host is reached: for URLs of `https:`, for those of `http:`, and for which hosts by none. */
export interface Proxies {
  readonly https: Proxy | undefined
  readonly http: Proxy | undefined
  readonly exempt: ReadonlyArray<string>
}

export const none: Proxies = { https: undefined, http: undefined, exempt: [] }

const decoded = Option.liftThrowable(decodeURIComponent)

const loginOf = ({ password, username }: URL): Option.Option<Redacted.Redacted | undefined> =>
  username === "" && password === ""
    ? Option.some(undefined)
    : Option.map(
      Option.all([decoded(username), decoded(password)]),
      ([user, word]) => Redacted.make(`Basic ${Buffer.from(`${user}:${word}`).toString("base64")}`)
    )

/** The proxy of a URL, or of `host:port` alone, as other programs take it; none if it cannot be one. */
export const parse = (text: string): Option.Option<Proxy> => {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`)
  // An unescaped `#` or `/` in a password ends the host's part: pieces of the password would be taken for the host.
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.search}${url.hash}` !== "" || url.pathname !== "/")
    return Option.none()
  const secure = url.protocol === "https:"
  return Option.map(loginOf(url), (login) => ({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    secure,
    login
  }))
}

/** One of the standard variables. In small letters, as curl has them, they come first. */
const variable = (name: string) =>
  Config.Redacted(name.toLowerCase()).pipe(
    Config.orElse(() => Config.Redacted(name)),
    Config.option,
    Config.map(Option.getOrUndefined)
  )

/** The variables as they are written; whether they can be heeded, `Settings` says. */
export const variables = {
  HTTPS_PROXY: variable("HTTPS_PROXY"),
  HTTP_PROXY: variable("HTTP_PROXY"),
  NO_PROXY: variable("NO_PROXY")
}

const parsed = (text: Redacted.Redacted | undefined): Proxy | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(parse(Redacted.value(text)))

/** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; no proxy where they are unset. */
export const proxies: Config.Config<Proxies> = Config.map(
  Config.all(variables),
  ({ HTTPS_PROXY: https, HTTP_PROXY: http, NO_PROXY: except }) => ({
    https: parsed(https),
    http: parsed(http),
    exempt: except === undefined
      ? []
      : Redacted.value(except).toLowerCase().split(/[\s,]+/).filter((entry) => entry !== "")
  })
)

/** `host`, or `[host]` of IPv6, and a port; an address of IPv6 without brackets has no port. */
const entryParts = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/

const partsOf = (entry: string) => {
  const [, named = entry, only] = entryParts.exec(entry) ?? []
  return { bare: named.replace(/^\[|\]$/g, ""), only }
}

/** As for other programs, bits after the prefix do not matter; an address alone is a network of one. */
const networkOf = (bare: string) => Result.map(IpInterface.fromString(bare), IpNetwork.fromInterface)

/** The name that all below it end in. */
const nameOf = (bare: string): string => bare.replace(/^\*?\.|\.$/g, "")

/** Whether an entry of `NO_PROXY` is of this host: `*`, a name with all below it, an address, or a network. */
const isOf = (entry: string, host: string, port: number): boolean => {
  const { bare, only } = partsOf(entry)
  if (only !== undefined && Number(only) !== port) return false
  const address = NetAddress.ipFromString(host)
  if (bare === "*" || bare === host) return true
  if (Result.isSuccess(address)) {
    const network = networkOf(bare)
    return Result.isSuccess(network) && IpNetwork.contains(network.success, address.success)
  }
  const name = nameOf(bare)
  return name !== "" && (host === name || host.endsWith(`.${name}`))
}

/** A name as hosts have it in URLs: what ends in a number is an address there, never the begin of one (`192.168.`). */
const isName = (text: string): boolean => /^(?:[a-z0-9_-]+\.)*(?!\d+$)[a-z0-9_-]+$/.test(text)

/** The entries of `NO_PROXY` that are of no host, without logins in them; none where there is no proxy. */
export const idle = ({ exempt, http, https }: Proxies): ReadonlyArray<string> =>
  http === undefined && https === undefined ? [] : exempt
    .filter((entry) => {
      const { bare } = partsOf(entry)
      return bare !== "*" && Result.isFailure(networkOf(bare)) && !isName(nameOf(bare))
    })
    .map((entry) => entry.replace(/^.*@/, "…@"))

/** The proxies for the operator to read, without their logins; `undefined` where there are none. */
export const named = ({ exempt, http, https }: Proxies): string | undefined => {
  const name = ({ host, port }: Proxy) => `${host}:${port}`
  if (http === undefined && https === undefined) return undefined
  return [
    ...(https === undefined ? [] : [`https: by ${name(https)}`]),
    ...(http === undefined ? [] : [`http: by ${name(http)}`]),
    ...(exempt.length === 0 ? [] : ["but for the hosts of NO_PROXY"])
  ].join(", ")
}

/** The proxy for a host, which is a name without a dot at its end, or an address; none if it is reached directly. */
export const via = (
  { exempt, ...by }: Proxies,
  { host, port, secure }: { readonly host: string; readonly port: number; readonly secure: boolean }
): Proxy | undefined =>
  exempt.some((entry) => isOf(entry, host.toLowerCase(), port)) ? undefined : by[secure ? "https" : "http"]
