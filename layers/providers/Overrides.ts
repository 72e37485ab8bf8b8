import { places } from "#layers/providers/SettingFields.ts"
import { Misconfigured } from "#schemas/DeliveryError.ts"
import { isObject } from "#schemas/Json.ts"
import * as ProfileChange from "#src/people/ProfileChange.ts"
import { Effect, Schema } from "effect"

/** Settings that only the operator may set. A caller who could name a host would be sent the operator's credentials. */
const operators: ReadonlySet<string> = new Set([...places, "status_callback"])

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The message's `override.config`, by the names of the settings. */
const configOf = (override: Schema.JsonObject): Schema.JsonObject => {
  const config = override["config"]
  return isObject(config)
    ? Object.fromEntries(Object.entries(config).map(([name, value]) => [snake(name), value]))
    : {}
}

/** Whether the message overrides any of these settings. */
export const changes = (override: Schema.JsonObject, ...names: ReadonlyArray<string>): boolean => {
  const given = configOf(override)
  return names.some((name) => Object.hasOwn(given, name))
}

/** The settings that only say whom a message comes from. */
const senders: ReadonlySet<string> = new Set(["from", "from_address"])

/** The settings with which the message overrides whose account a call is made on, as a text; `undefined`: with none. */
export const account = (override: Schema.JsonObject): string | undefined => {
  const given = Object.entries(configOf(override)).filter(([name]) => !senders.has(name))
  return given.length === 0 ? undefined : JSON.stringify(given.sort(([one], [other]) => one < other ? -1 : 1))
}

/**
 * The settings with the message's `override.config` over them (api.md §3), by the settings' names or their camel case.
 * Without a change, the same object is returned.
 */
export const settingsOf = Effect.fnUntraced(
  function*<Settings>(schema: Schema.Codec<Settings, unknown>, settings: Settings, override: Schema.JsonObject) {
    const given = configOf(override)
    if (Object.keys(given).length === 0) return settings
    const refused = Object.keys(given).find((name) => operators.has(name))
    if (refused !== undefined) return yield* new Misconfigured({ detail: `A message may not override ${refused}` })
    const stored = yield* Schema.encodeEffect(schema)(settings)
    return yield* Schema.decodeUnknownEffect(schema)({ ...Object(stored), ...given })
  },
  Effect.catchTag(
    "SchemaError",
    () => Effect.fail(new Misconfigured({ detail: "override.config does not fit the provider's settings" }))
  )
)

/** Leaves out the undefined fields. */
export const present = (fields: { readonly [name: string]: Schema.Json | undefined }): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
  )

/**
 * A vendor's request body with the message's `override.body` deeply merged over it, in the vendor's naming (api.md §3).
 */
export const body = (
  own: { readonly [name: string]: Schema.Json | undefined },
  override: Schema.JsonObject
): Schema.JsonObject => {
  const given = override["body"]
  return isObject(given) ? ProfileChange.merge(present(own), given) : present(own)
}
