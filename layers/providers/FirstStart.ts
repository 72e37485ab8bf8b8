import { BadConfiguration, WorkerNumber } from "#layers/settings/Settings.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Configure from "#src/delivery/providers/Configure.ts"
import { type Configuration, ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Config, Effect, Layer, Option, Redacted } from "effect"

/** Only the production environment: a test key must not reach people just because the operator named a mail server. */
const production = Scope.make(1)

const variable = (name: string) => Config.option(Config.Redacted(name))

/** `null` if there is nothing; `undefined` if it is not percent-encoded. */
const decoded = (text: string): string | null | undefined =>
  text === "" ? null : Option.getOrUndefined(Option.liftThrowable(decodeURIComponent)(text))

const parameters = ["from", "require_tls"]

/** Whether something is left over: `/`, `?` and `#` in a password that is not percent-encoded end the host's part. */
const hasMore = ({ hash, pathname }: URL, query: URLSearchParams): boolean =>
  hash !== "" || pathname.length > 1 || query.keys().some((name) => !parameters.includes(name))

/**
 * `smtp://user:password@host:587?from=address` as settings; `smtps:` is TLS from the first byte. The user is the sender
 * if no other is given.
 */
const smtp = (text: string): Configure.Wanted | undefined => {
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
  return wanted("smtp", {
    host: host.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? null : Number(port),
    secure: protocol === "smtps:" ? true : null,
    require_tls: requireTls === null ? null : requireTls !== "false",
    username,
    password,
    from_address: query.get("from") ?? username
  })
}

const wanted = (provider: string, settings: NonNullable<Configure.Wanted["settings"]>): Configure.Wanted => ({
  provider,
  title: undefined,
  alias: undefined,
  settings
})

/** Whether a stored provider is as the variables say; what the operator has added to it does not count. */
const isLike = ({ provider, settings = {} }: Configure.Wanted) => (stored: Configuration): boolean => {
  const kept = stored.settings === undefined ? {} : Redacted.value(stored.settings)
  return stored.provider === provider &&
    Object.entries(settings).every(([field, value]) => (kept[field] ?? null) === value)
}

/** Variables, and the provider that they name; `undefined`: none. */
type Named = readonly [variables: string, Configure.Wanted | undefined]

/**
 * Warns an operator who expects of the variables what only the API does. While a provider is as they say, there is
 * nothing to tell: a container has them at every start.
 */
const sayIdle = Effect.fnUntraced(function*(all: ReadonlyArray<Named>) {
  const stored = yield* ProviderConfigurations.use((configurations) => configurations.installed(production))
  for (const [variables, wanted] of all) {
    if (wanted === undefined || stored.some(isLike(wanted))) continue
    yield* Effect.logWarning(
      `nothing is configured by ${variables}: production had providers before, and has none like that now; ` +
        "they are changed with PUT /providers/:id"
    )
  }
})

/**
 * The providers that the environment variables name (design.md §6), stored by the first start that has such variables,
 * if production never had any provider; later they are changed with the API. Warnings are the server's, for its workers
 * too.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const configure = yield* Configure.make
  const given = yield* Config.all({
    smtp: variable("SMTP_URL"),
    sid: variable("TWILIO_ACCOUNT_SID"),
    token: variable("TWILIO_AUTH_TOKEN"),
    from: variable("TWILIO_FROM")
  })
  const tells = (yield* WorkerNumber) === undefined
  const all: Array<Named> = []
  if (Option.isSome(given.smtp)) all.push(["SMTP_URL", smtp(Redacted.value(given.smtp.value))])
  if (Option.isSome(given.sid) || Option.isSome(given.token)) {
    const [sid, token, from] = [given.sid, given.token, given.from].map(Option.map(Redacted.value))
    all.push([
      "TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM",
      wanted("twilio", {
        account_sid: Option.getOrNull(sid ?? Option.none()),
        auth_token: Option.getOrNull(token ?? Option.none()),
        from: Option.getOrNull(from ?? Option.none())
      })
    ])
  } else if (Option.isSome(given.from) && tells) {
    yield* Effect.logWarning("TWILIO_FROM changes nothing without TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN")
  }
  const bad: Array<string> = []
  const good: Array<Configure.Wanted> = []
  for (const [variables, one] of all) {
    const fits = one !== undefined && (yield* Effect.isSuccess(configure.check(one)))
    if (fits) good.push(one)
    else bad.push(
        `${variables} must be ${
          variables === "SMTP_URL"
            ? "smtp[s]://user:password@host:port?from=address, user and password percent-encoded"
            : "those of a Twilio account"
        }`
      )
  }
  if (bad.length > 0) return yield* new BadConfiguration({ message: bad.join("\n") })
  if (good.length === 0) return
  if (yield* configure.first(production, good)) {
    yield* Effect.logInfo("configured the first providers", { providers: good.map(({ provider }) => provider) })
  } else if (tells) yield* sayIdle(all)
}))
