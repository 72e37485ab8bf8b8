import * as ExitCode from "#layers/ExitCode.ts"
import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import * as Proxy from "#layers/outbound/Proxy.ts"
import * as SmtpUrl from "#layers/providers/smtp/SmtpUrl.ts"
import * as TwilioVariables from "#layers/providers/twilio/Variables.ts"
import * as ServerUrl from "#layers/settings/ServerUrl.ts"
import { slips } from "#layers/settings/Slips.ts"
import * as Otel from "#layers/telemetry/Otel.ts"
import { longestSecret } from "#src/access/KeyText.ts"
import * as RateLimits from "#src/access/RateLimits.ts"
import { Config, ConfigProvider, Context, Effect, Layer, Option, Redacted, Result, Runtime, Schema } from "effect"
import { isIP } from "node:net"
import { availableParallelism } from "node:os"

/**
 * What the operator set (design.md §6). Paths as given, ports as numbers; `undefined` where a variable is unset and has
 * no default.
 */
export interface Values {
  readonly port: number
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly dataDir: string
  readonly durability: "disk" | "process"
  readonly bootstrapSecret: Redacted.Redacted | undefined
  readonly accountEmail: string
  readonly secretKey: Redacted.Redacted | undefined
  readonly shards: number
  readonly brandLimit: number | undefined
  /** Where readers' mail clients reach this server, without a trailing slash. */
  readonly publicUrl: string | undefined
  /** What mails tell of their readers, besides what templates and vendors do. */
  readonly tracked: { readonly clicks: boolean; readonly opens: boolean }
  /** Origins whose pages may call the API from a browser; `*` is all. */
  readonly corsOrigins: ReadonlyArray<string>
  readonly redisUrl: Redacted.Redacted | undefined
  /** Requests per minute and kind, as `RateLimits.parse` reads them. */
  readonly rateLimits: string
  readonly clusterHost: string
  readonly clusterPort: number
  /** Whether `clusterPort` follows from `port`, since none was given. */
  readonly followsPort: boolean
  /**
   * How many engine workers run beside this process, which then owns no shards itself. Where none is asked for, one
   * does, if there is a database that they can share and a processor for it. The first one has the node's
   * `clusterPort`, the others the ports above it.
   */
  readonly workers: number
  /** Which worker this is; `undefined` for the server itself. */
  readonly worker: number | undefined
  /** Days after which closed messages are deleted; `undefined`: never. */
  readonly retentionDays: number | undefined
  /** Days after which events of the audit are deleted; `undefined`: never. */
  readonly auditRetentionDays: number | undefined
}

/** The number of this engine worker, which its server counts from 1; `undefined` in the server itself. */
export const WorkerNumber = Context.Reference<number | undefined>("tidings/WorkerNumber", {
  defaultValue: () => undefined
})

/** What the operator set, read and checked once. */
export class Settings extends Context.Service<Settings, Values>()("tidings/Settings") {}

/** The start stops here; `message` has one line per fault, each naming its variable. */
export class BadConfiguration
  extends Schema.TaggedError<BadConfiguration>()("BadConfiguration", { message: Schema.String })
{
  override readonly [Runtime.errorExitCode] = ExitCode.configuration
}

const unset = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

const positive = (name: string, otherwise: number, most: number) =>
  Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })), name).pipe(
    Config.withDefault(otherwise)
  )

const days = (name: string) =>
  unset(Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 36_500 })), name))

const listed = (text: string): ReadonlyArray<string> =>
  text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")

const isOrigin = (text: string): boolean => text === "*" || (URL.canParse(text) && new URL(text).origin === text)

const label = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?`
const hostName = new RegExp(`^${label}(?:\\.${label})*\\.?$`, "u")

/** A URL, or a port after the name, would be looked up as a name; all addresses at once lead nobody here. */
const isHost = (text: string): boolean => !["0.0.0.0", "::"].includes(text) && (isIP(text) !== 0 || hostName.test(text))

const variables = {
  PORT: Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })), "PORT").pipe(
    Config.withDefault(3000)
  ),
  TIDINGS_PUBLIC_URL: unset(Config.String("TIDINGS_PUBLIC_URL")),
  TIDINGS_TRACKING: Config.String("TIDINGS_TRACKING").pipe(Config.withDefault(""), Config.map(listed)),
  TIDINGS_CORS_ORIGINS: Config.String("TIDINGS_CORS_ORIGINS").pipe(Config.withDefault(""), Config.map(listed)),
  DATABASE_URL: unset(Config.Redacted("DATABASE_URL")),
  REDIS_URL: unset(Config.Redacted("REDIS_URL")),
  TIDINGS_RATE_LIMITS: Config.String("TIDINGS_RATE_LIMITS").pipe(Config.withDefault("")),
  TIDINGS_DATA_DIR: Config.String("TIDINGS_DATA_DIR").pipe(Config.withDefault("./.tidings")),
  TIDINGS_DURABILITY: Config.schema(Schema.Literals(["disk", "process"]), "TIDINGS_DURABILITY").pipe(
    Config.withDefault("disk" as const)
  ),
  TIDINGS_BOOTSTRAP_SECRET: unset(Config.Redacted("TIDINGS_BOOTSTRAP_SECRET")),
  TIDINGS_ACCOUNT_EMAIL: Config.String("TIDINGS_ACCOUNT_EMAIL").pipe(Config.withDefault("ops@example.com")),
  TIDINGS_SECRET_KEY: unset(Config.Redacted("TIDINGS_SECRET_KEY")),
  TIDINGS_SHARDS: positive("TIDINGS_SHARDS", 64, 1_024),
  TIDINGS_BRAND_LIMIT: unset(
    Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })), "TIDINGS_BRAND_LIMIT")
  ),
  TIDINGS_CLUSTER_HOST: Config.String("TIDINGS_CLUSTER_HOST").pipe(Config.withDefault("127.0.0.1")),
  TIDINGS_CLUSTER_PORT: unset(Config.Port("TIDINGS_CLUSTER_PORT")),
  TIDINGS_WORKERS: unset(
    Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 })), "TIDINGS_WORKERS")
  ),
  TIDINGS_RETENTION_DAYS: days("TIDINGS_RETENTION_DAYS"),
  TIDINGS_AUDIT_RETENTION_DAYS: days("TIDINGS_AUDIT_RETENTION_DAYS"),
  TIDINGS_OUTBOUND_ALLOW: AddressPolicy.allowed,
  SMTP_URL: unset(Config.Redacted("SMTP_URL")),
  ...Proxy.variables
}

/** Variables that the command `tidings` reads, and the server does not. */
const ofTheCommand = ["TIDINGS_API_KEY", "TIDINGS_URL"]

/**
 * Which of these names look like settings but are none. A misspelt setting would change nothing, and nobody would
 * notice; the same is true of a standard variable that is not heeded here.
 */
export const misspelt = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...names.filter((name) =>
    name.startsWith("TIDINGS_") && !Object.hasOwn(variables, name) && !ofTheCommand.includes(name)
  ),
  ...slips(names),
  ...Otel.unheeded(names)
]

/**
 * A node that restarts must be the same cluster runner again, so its default cluster port is derived from its HTTP
 * port.
 */
const clusterPortOf = (port: number): number => 20_000 + (port % 40_000)

/** How many ports above its node's a worker listens. */
const above = (worker: number): number => Math.max(0, worker - 1)

/** What to say of a wrong value. The value itself is left out: it may be a secret (P9). */
const faults: Record<keyof typeof variables, string> = {
  PORT: "must be a port number",
  TIDINGS_PUBLIC_URL: "must be an http(s) URL without a query",
  TIDINGS_TRACKING: "must be clicks, opens or both, between commas, and needs TIDINGS_PUBLIC_URL",
  TIDINGS_CORS_ORIGINS: "must be origins such as https://app.example.com, between commas, or *",
  DATABASE_URL: "must be a postgres:// URL, its password percent-encoded; TLS is sslmode=require, not ssl=true",
  REDIS_URL:
    "must be a redis:// or rediss:// URL, its password percent-encoded; its path, if it has one, is a database's number",
  TIDINGS_RATE_LIMITS:
    "must be like lists=20,list-subscriptions=20,brands=200,resends=10: requests a minute, 0 for no limit",
  TIDINGS_DATA_DIR: "must be a path that neither begins nor ends with a blank",
  TIDINGS_DURABILITY: "must be disk or process",
  TIDINGS_BOOTSTRAP_SECRET: "must be 32 to 512 letters, digits, - or _",
  TIDINGS_ACCOUNT_EMAIL: "must be an e-mail address without blanks",
  TIDINGS_SECRET_KEY: "must be 32 bytes in base64 (openssl rand -base64 32)",
  TIDINGS_SHARDS: "must be a number from 1 to 1024",
  TIDINGS_BRAND_LIMIT: "must be a number from 1 to 1000000",
  TIDINGS_CLUSTER_HOST: "must be a host name or an IP address where the other nodes reach this one, no scheme or port",
  TIDINGS_CLUSTER_PORT:
    "must be a port number other than PORT, with one more after it for each further one of TIDINGS_WORKERS",
  TIDINGS_WORKERS: "must be a number from 0 to 64, and needs DATABASE_URL when it is not 0",
  TIDINGS_RETENTION_DAYS: "must be a number of days, 1 at least",
  TIDINGS_AUDIT_RETENTION_DAYS: "must be a number of days, 1 at least",
  TIDINGS_OUTBOUND_ALLOW: "must be networks such as 10.1.0.0/16, between commas, with no bit set after the prefix",
  SMTP_URL: `must be ${SmtpUrl.form}`,
  HTTPS_PROXY: "must be the http:// or https:// URL of a proxy, its user and password percent-encoded",
  HTTP_PROXY: "must be the http:// or https:// URL of a proxy, its user and password percent-encoded",
  NO_PROXY: "must be hosts, domains and networks, between commas, or *"
}

/** As Windows ends lines: it would be part of a path or an address, and no log would show it. */
const hasControl = (value: unknown): boolean => {
  const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
  return typeof text === "string" && /\p{Cc}/u.test(text)
}

const read = Effect.gen(function*() {
  const provider = yield* ConfigProvider.ConfigProvider
  const bad: Array<string> = [...yield* Otel.faults, ...yield* TwilioVariables.faults]
  const value = <A>(
    name: keyof typeof variables,
    config: Config.Config<A>,
    isGood: (value: A) => boolean = () => true
  ) =>
    Effect.map(Effect.result(config.parse(provider)), (result) => {
      const isUnclean = Result.isSuccess(result) && hasControl(result.success)
      if (Result.isSuccess(result) && !isUnclean && isGood(result.success)) return result.success
      const unclean = "has a control character in it, such as the end of a Windows line"
      bad.push(`${name} ${isUnclean ? unclean : faults[name]}`)
      return undefined
    })
  const secret = (test: (text: string) => boolean) => (value: Redacted.Redacted | undefined) =>
    value === undefined || test(Redacted.value(value))

  const port = yield* value("PORT", variables.PORT)
  const clusterPort = yield* value("TIDINGS_CLUSTER_PORT", variables.TIDINGS_CLUSTER_PORT)
  const read = {
    databaseUrl: yield* value("DATABASE_URL", variables.DATABASE_URL, secret(ServerUrl.isDatabase)),
    dataDir: yield* value("TIDINGS_DATA_DIR", variables.TIDINGS_DATA_DIR, (path) => path === path.trim()),
    durability: yield* value("TIDINGS_DURABILITY", variables.TIDINGS_DURABILITY),
    bootstrapSecret: yield* value(
      "TIDINGS_BOOTSTRAP_SECRET",
      variables.TIDINGS_BOOTSTRAP_SECRET,
      secret((text) => /^[A-Za-z0-9_-]{32,}$/.test(text) && text.length <= longestSecret)
    ),
    accountEmail: yield* value(
      "TIDINGS_ACCOUNT_EMAIL",
      variables.TIDINGS_ACCOUNT_EMAIL,
      (email) => /^\S+@\S+$/.test(email)
    ),
    secretKey: yield* value(
      "TIDINGS_SECRET_KEY",
      variables.TIDINGS_SECRET_KEY,
      secret((text) => /^[A-Za-z0-9+/]{43}=?$/.test(text))
    ),
    shards: yield* value("TIDINGS_SHARDS", variables.TIDINGS_SHARDS),
    publicUrl: yield* value(
      "TIDINGS_PUBLIC_URL",
      variables.TIDINGS_PUBLIC_URL,
      (url) => url === undefined || (/^https?:\/\/[^\s?#]+$/.test(url) && URL.canParse(url))
    ),
    corsOrigins: yield* value(
      "TIDINGS_CORS_ORIGINS",
      variables.TIDINGS_CORS_ORIGINS,
      (origins) => origins.every(isOrigin)
    ),
    brandLimit: yield* value("TIDINGS_BRAND_LIMIT", variables.TIDINGS_BRAND_LIMIT),
    redisUrl: yield* value("REDIS_URL", variables.REDIS_URL, secret(ServerUrl.isRedis)),
    rateLimits: yield* value(
      "TIDINGS_RATE_LIMITS",
      variables.TIDINGS_RATE_LIMITS,
      (text) => RateLimits.parse(text) !== undefined
    ),
    clusterHost: yield* value("TIDINGS_CLUSTER_HOST", variables.TIDINGS_CLUSTER_HOST, isHost),
    retentionDays: yield* value("TIDINGS_RETENTION_DAYS", variables.TIDINGS_RETENTION_DAYS),
    auditRetentionDays: yield* value("TIDINGS_AUDIT_RETENTION_DAYS", variables.TIDINGS_AUDIT_RETENTION_DAYS)
  }
  const asked = yield* value(
    "TIDINGS_WORKERS",
    variables.TIDINGS_WORKERS,
    // Only one process may own an embedded data directory.
    (count) => count === undefined || count === 0 || read.databaseUrl !== undefined
  )
  const last = (clusterPort ?? 0) + above(asked ?? 0)
  const isShared = clusterPort !== undefined && read.databaseUrl !== undefined && port !== undefined &&
    clusterPort <= port && port <= last
  if (last > 65_535 || isShared) bad.push(`TIDINGS_CLUSTER_PORT ${faults.TIDINGS_CLUSTER_PORT}`)
  const tracked = yield* value(
    "TIDINGS_TRACKING",
    variables.TIDINGS_TRACKING,
    (kinds) => kinds.every((kind) => kind === "clicks" || kind === "opens")
  )
  if (tracked !== undefined && tracked.length > 0 && read.publicUrl === undefined)
    bad.push(`TIDINGS_TRACKING ${faults.TIDINGS_TRACKING}`)
  yield* value("TIDINGS_OUTBOUND_ALLOW", variables.TIDINGS_OUTBOUND_ALLOW)
  yield* value("SMTP_URL", variables.SMTP_URL, secret((url) => SmtpUrl.parse(url) !== undefined))
  const isProxy = secret((url) => Option.isSome(Proxy.parse(url)))
  yield* value("HTTPS_PROXY", variables.HTTPS_PROXY, isProxy)
  yield* value("HTTP_PROXY", variables.HTTP_PROXY, isProxy)
  yield* value("NO_PROXY", variables.NO_PROXY)
  const { accountEmail, clusterHost, corsOrigins, dataDir, durability, rateLimits, shards } = read
  if (
    bad.length > 0 || port === undefined || accountEmail === undefined || clusterHost === undefined ||
    corsOrigins === undefined || dataDir === undefined || durability === undefined || shards === undefined ||
    rateLimits === undefined
  ) {
    return yield* new BadConfiguration({ message: bad.join("\n") })
  }
  const worker = yield* WorkerNumber
  return Settings.of({
    ...read,
    publicUrl: read.publicUrl?.replace(/\/+$/, ""),
    tracked: { clicks: tracked?.includes("clicks") === true, opens: tracked?.includes("opens") === true },
    port,
    workers: worker === undefined ? asked ?? (read.databaseUrl !== undefined && availableParallelism() > 1 ? 1 : 0) : 0,
    worker,
    accountEmail,
    clusterHost,
    corsOrigins,
    dataDir,
    durability,
    rateLimits,
    shards,
    followsPort: clusterPort === undefined,
    clusterPort: (clusterPort ?? clusterPortOf(port)) + above(worker ?? 0)
  })
})

export const layer = Layer.effect(Settings, read)
