import { line } from "#layers/providers/SettingFields.ts"
import { TwilioSettings } from "#layers/providers/twilio/Settings.ts"
import { Config, ConfigProvider, Effect, Option, Redacted, Schema } from "effect"

const sid = "TWILIO_ACCOUNT_SID"
const token = "TWILIO_AUTH_TOKEN"

const { account_sid, auth_token } = TwilioSettings.fields

const fits = (schema: Schema.Codec<unknown, unknown>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (text: string): boolean => Option.isSome(decode(text))
}

/** The variables of the first start, the setting that each is, and what to say of one that is none. */
const variables = [
  [sid, fits(account_sid), "must be AC and 32 hexadecimal digits"],
  [token, fits(auth_token), "must be one line of ASCII text"],
  ["TWILIO_FROM", fits(line), "must be one line: a phone number in E.164, or a sender's name"]
] as const

/**
 * One line per variable that is wrong, or that an account lacks. It names the variable without its value, which may be a
 * secret (P9).
 */
export const faults: Effect.Effect<ReadonlyArray<string>> = Effect.gen(function*() {
  const provider = yield* ConfigProvider.ConfigProvider
  const lines: Array<string> = []
  const unset = new Set<string>()
  for (const [name, isGood, sentence] of variables) {
    const value = yield* Effect.orDie(Config.option(Config.Redacted(name)).parse(provider))
    if (Option.isNone(value)) unset.add(name)
    else if (!isGood(Redacted.value(value.value))) lines.push(`${name} ${sentence}`)
  }
  for (const [lacking, other] of [[sid, token], [token, sid]] as const) {
    if (unset.has(lacking) && !unset.has(other)) lines.push(`${lacking} must be set beside ${other}`)
  }
  return lines
})
