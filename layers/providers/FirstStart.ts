import { BadConfiguration, WorkerNumber } from "#layers/settings/Settings.ts"
import * as SmtpUrl from "#layers/providers/smtp/SmtpUrl.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Configure from "#src/delivery/providers/Configure.ts"
import { type Configuration, ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Config, Effect, Layer, Option, Redacted } from "effect"

/** Only the production environment: a test key must not reach people just because the operator named a mail server. */
const production = Scope.make(1)

const variable = (name: string) => Config.option(Config.Redacted(name))

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
  if (Option.isSome(given.smtp)) {
    const settings = SmtpUrl.parse(Redacted.value(given.smtp.value))
    all.push(["SMTP_URL", settings === undefined ? undefined : wanted("smtp", settings)])
  }
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
            ? SmtpUrl.form
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
