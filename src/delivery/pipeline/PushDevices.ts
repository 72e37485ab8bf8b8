import { isList, isObject } from "#schemas/Json.ts"
import { UserId } from "#schemas/Profile.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Leads from "#src/delivery/pipeline/Leads.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as Write from "#src/delivery/journal/Write.ts"
import { DeviceTokens, type Reachable } from "#src/people/DeviceTokens.ts"
import { Effect, type Schema } from "effect"

const channel = "push"

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
      userId === undefined || userId === null || !Leads.to(channel, instructions.routing, configured)
        ? Effect.succeed(profile)
        : Effect.map(
          Write.patiently(devices.reachable(scope, UserId.make(userId))),
          (found) => found.length === 0 ? profile : withTokens(profile, found)
        )
  }
})
