import { isList, isObject } from "#schemas/Json.ts"
import { UserId } from "#schemas/Profile.ts"
import { providerOf, type Routing } from "#schemas/Routing.ts"
import { type DeadAddress, DeadAddresses } from "#src/delivery/pipeline/DeadAddresses.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { isNamed, type Provider } from "#src/delivery/Provider.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import { DeviceTokens, type Reachable } from "#src/people/DeviceTokens.ts"
import * as Patience from "#src/store/Patience.ts"
import { Effect, Layer, type Schema } from "effect"

const channel = "push"

/** How long marking a dead address may hold up its message, which needs nothing of it. */
const patience = "2 seconds"

/** Whether the routing may lead to push at all; a message that names no routing may go anywhere. */
const reachesPush = (routing: Routing | null | undefined, configured: ReadonlyArray<Provider>): boolean => {
  const vendors = configured.filter((provider) => provider.channel === channel)
  const names = (name: string) => name === channel || vendors.some((vendor) => isNamed(vendor, name))
  const leads = ({ channels }: Routing): boolean =>
    channels.some((entry) => {
      if (typeof entry === "string") return names(entry)
      if ("channels" in entry) return leads(entry)
      return names("channel" in entry ? entry.channel : providerOf(entry))
    })
  return vendors.length > 0 && (routing === undefined || routing === null || leads(routing))
}

const listed = (value: Schema.Json | undefined): Schema.JsonArray =>
  value === undefined || value === null ? [] : isList(value) ? value : [value]

/**
 * The stored `{token, tokens}` with these tokens added; a stored value that is no object was no address (api.md 2.2).
 */
const joined = (stored: Schema.Json | undefined, tokens: ReadonlyArray<string>): Schema.JsonObject =>
  isObject(stored) ? { ...stored, tokens: [...listed(stored["tokens"]), ...tokens] } : { tokens: [...tokens] }

/** The profile with these tokens among its addresses, each where its provider looks for it (api.md 2.2). */
export const withTokens = (profile: Schema.JsonObject, all: ReadonlyArray<Reachable>): Schema.JsonObject => {
  const of = (provider: Reachable["provider"]) =>
    all.filter((one) => one.provider === provider).map(({ token }) => token)
  const firebase = of("firebase-fcm")
  const apn = of("apn")
  const expo = of("expo")
  const [player] = profile["oneSignalPlayerID"] === undefined ? of("onesignal") : []
  return {
    ...profile,
    ...(firebase.length === 0 ? {} : { firebaseToken: [...listed(profile["firebaseToken"]), ...firebase] }),
    ...(apn.length === 0 ? {} : { apn: joined(profile["apn"], apn) }),
    ...(expo.length === 0 ? {} : { expo: joined(profile["expo"], expo) }),
    ...(player === undefined ? {} : { oneSignalPlayerID: player })
  }
}

/** Finds the devices of a message's recipient (api.md 12). */
export const make = Effect.gen(function*() {
  const devices = yield* DeviceTokens

  return {
    /**
     * The stored profile with the user's tokens among its addresses; they are looked up only for a message that may
     * reach push.
     */
    added: (
      { instructions, recipient: { user_id: userId }, scope }: OpenMessage,
      configured: ReadonlyArray<Provider>,
      profile: Schema.JsonObject
    ): Effect.Effect<Schema.JsonObject> =>
      userId === undefined || userId === null || !reachesPush(instructions.routing, configured)
        ? Effect.succeed(profile)
        : Effect.map(
          Write.patiently(devices.reachable(scope, UserId.make(userId))),
          (found) => found.length === 0 ? profile : withTokens(profile, found)
        )
  }
})

/** Marks tokens that their provider calls dead. */
export const marking = Layer.effect(
  DeadAddresses,
  Effect.gen(function*() {
    const devices = yield* DeviceTokens
    const patiently = yield* Patience.within(patience)
    return ({ address, detail, provider, scope }: DeadAddress) =>
      patiently(devices.invalidate(scope, provider, address, detail)).pipe(
        Effect.catch((error) => Effect.logWarning("cannot mark a dead device token", error._tag))
      )
  })
)
