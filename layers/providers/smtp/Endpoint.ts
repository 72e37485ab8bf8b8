import { text } from "#layers/providers/Fields.ts"
import type { SmtpSettings } from "#layers/providers/smtp/Settings.ts"
import { isObject } from "#schemas/Json.ts"
import type { Delivery } from "#src/delivery/Provider.ts"
import { fnv1a } from "#src/delivery/shards/Hash.ts"
import { Redacted, Result } from "effect"

/** The credentials for the server. */
export interface Login {
  readonly username: string
  readonly password: Redacted.Redacted
}

/** One mail server and how to speak to it. */
export interface Endpoint {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly secure: boolean
  /** Only encrypted sessions are used. */
  readonly requireTls: boolean
  /** A password may be sent over a session without TLS. */
  readonly clearLogin: boolean
  readonly ca: string | undefined
  readonly name: string | undefined
  readonly login: Login | undefined
  /** Named by a caller, not by the operator: the outbound guard checks its address. */
  readonly guarded: boolean
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

const make = (
  where: Pick<Endpoint, "host" | "guarded" | "login" | "ca" | "name">,
  port: number | undefined,
  secure: boolean | undefined,
  requireTls: boolean | undefined
): Endpoint => {
  const local = loopback.test(where.host)
  const number = port ?? (secure === true ? 465 : 587)
  return {
    ...where,
    port: number,
    secure: secure ?? number === 465,
    requireTls: requireTls ?? !local,
    clearLogin: local
  }
}

/** The operator's server. */
export const fromSettings = (settings: SmtpSettings): Endpoint =>
  make(
    {
      host: settings.host,
      ca: settings.ca ?? undefined,
      name: settings.name ?? undefined,
      login: typeof settings.username === "string"
        ? { username: settings.username, password: settings.password ?? Redacted.make("") }
        : undefined,
      guarded: false
    },
    settings.port ?? undefined,
    settings.secure ?? undefined,
    settings.require_tls ?? undefined
  )

const hostLike = /^[A-Za-z0-9._:-]{1,253}$/

const loginOf = (auth: Delivery["override"][string] | undefined): Login | undefined => {
  if (!isObject(auth)) return undefined
  const username = text(auth, "user", "username")
  const password = text(auth, "pass", "password")
  return username === undefined || password === undefined
    ? undefined
    : { username, password: Redacted.make(password) }
}

/**
 * The server of `override.config {host, port, secure, auth}`, or the operator's own when it names none. Another server
 * never gets the operator's password and must use encryption and a certificate that verifies. The operator's server
 * with another login keeps the operator's rules.
 */
export const fromOverride = (own: Endpoint, override: Delivery["override"]): Result.Result<Endpoint, string> => {
  const config = override["config"]
  if (config === undefined || config === null) return Result.succeed(own)
  if (!isObject(config)) return Result.fail("Override config must be an object")
  const { auth, host = null, port = null, secure = null } = config
  const login = loginOf(auth)
  if (auth !== undefined && auth !== null && login === undefined) return Result.fail("Override config: unusable auth")
  const number = typeof port === "string" && /^\d{1,5}$/.test(port) ? Number(port) : port
  if (number !== null && !(typeof number === "number" && Number.isInteger(number) && number > 0 && number < 65_536)) {
    return Result.fail("Override config: unusable port")
  }
  if (secure !== null && typeof secure !== "boolean") return Result.fail("Override config: unusable secure")
  if (host !== null && !(typeof host === "string" && hostLike.test(host))) {
    return Result.fail("Override config: unusable host")
  }
  const sameHost = host === null || host.toLowerCase() === own.host.toLowerCase()
  const samePlace = sameHost && (number === null || number === own.port) && (secure === null || secure === own.secure)
  if (samePlace) return Result.succeed(login === undefined ? own : { ...own, login })
  return Result.succeed(
    make(
      { host: host ?? own.host, ca: undefined, name: own.name, login, guarded: true },
      number ?? undefined,
      secure ?? undefined,
      undefined
    )
  )
}

/** Names a login by a hash, since it is a secret (P9). */
const nameOf = (login: Login | undefined): string =>
  login === undefined ? "" : fnv1a(`${login.username} ${Redacted.value(login.password)}`).toString(36)

/**
 * Names a server and the login on it: a server refuses, limits and shuts out its users one by one. One that is spoken to
 * in another way than the operator's is another: it may not understand that.
 */
export const serverName = ({ host, login, port, secure }: Endpoint): string =>
  `${host.toLowerCase()}:${port}${secure ? "/tls" : ""} ${nameOf(login)}`

/**
 * The name of the server that an override names in place of the operator's; `undefined` if it names none, or one that
 * cannot be used.
 */
export const otherServer = (own: Endpoint, override: Delivery["override"]): string | undefined => {
  const name = serverName(Result.getOrElse(fromOverride(own, override), () => own))
  return name === serverName(own) ? undefined : name
}
