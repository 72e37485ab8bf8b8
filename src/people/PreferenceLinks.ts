import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Opaque from "#src/access/Opaque.ts"
import { SecretKey } from "#src/access/SecretKey.ts"
import { once } from "#src/cache/Once.ts"
import type { Owner } from "#src/people/UserPreferences.ts"
import { PublicUrl } from "#src/reports/Tracking.ts"
import { Context, Effect, Layer, Option, Schema } from "effect"

/** The links in a message by which its user can change preferences (api.md 2.6). */
export interface Links {
  /** The token of `unsubscribe`; empty where the message has no topic. */
  readonly unsubscribeTrackingId: string
  /**
   * The URL at which one click opts out of the message's topic; without a topic, the page of all topics. Empty without
   * a public URL.
   */
  readonly unsubscribe: string
  /** The URL of the page on which all topics are shown and chosen. Empty without a public URL. */
  readonly preferences: string
}

/** The user whom a message's links are for. */
export interface Reader extends Owner {
  /** Nobody named the tenant: it was the user's only one when the message was sent. */
  readonly isPlaced?: true | undefined
}

/** The topic and user that an unsubscribe link is for. */
export interface Subscription extends Reader {
  readonly topicId: string
}

/**
 * The tokens in such links: opaque, and bound to the environment, the user and the tenant; those for unsubscribing also
 * to the topic. They never expire, since a mail may be read years later. They are deterministic, so that a repeated
 * send has the same body.
 */
export interface Tokens {
  readonly unsubscribe: (subscription: Subscription) => string
  readonly preferences: (reader: Reader) => string
  readonly openUnsubscribe: (token: string) => Subscription | undefined
  readonly openPreferences: (token: string) => Reader | undefined
}

/** Makes a message's links, for the renderer; `undefined` if nothing answers them. */
export const PreferenceLinks = Context.Reference<((reader: Reader, topicId: string | undefined) => Links) | undefined>(
  "tidings/PreferenceLinks",
  { defaultValue: () => undefined }
)

export const paths = { unsubscribe: "/t/unsubscribe", preferences: "/t/preferences" } as const

/** The length of the longest token: ids of 512 characters that JSON escapes as six each, in base64. */
const longest = 12_500

const owner = [Scope, UserId, Schema.NullOr(Schema.String)] as const
/** Comes last, and only where it is so: tokens without it are as old as mails get. */
const placed = Schema.optionalKey(Schema.Literal(1))
const decodeReader = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Tuple([...owner, placed])))
const decodeSubscription = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Tuple([...owner, Schema.String, placed]))
)

const readerOf = (scope: Scope, userId: UserId, tenantId: string | null, isPlaced: 1 | undefined): Reader => ({
  scope,
  userId,
  tenantId: tenantId ?? undefined,
  ...(isPlaced === undefined ? {} : { isPlaced: true })
})

export const tokens: Effect.Effect<Tokens, never, SecretKey> = Effect.map(SecretKey, (key) => {
  const opaque = Opaque.make(key, "preference-links")
  const parts = ({ isPlaced, scope, tenantId, userId }: Reader, ...topicId: ReadonlyArray<string>) =>
    JSON.stringify([scope, userId, tenantId ?? null, ...topicId, ...(isPlaced === true ? [1] : [])])
  const open = (place: string, token: string) => token.length > longest ? "" : opaque.open(place, token) ?? ""
  return {
    unsubscribe: (subscription) => opaque.seal("unsubscribe", parts(subscription, subscription.topicId)),
    preferences: (reader) => opaque.seal("preferences", parts(reader)),
    openUnsubscribe: (token) =>
      decodeSubscription(open("unsubscribe", token)).pipe(
        Option.map(([scope, userId, tenantId, topicId, isPlaced]) => ({
          ...readerOf(scope, userId, tenantId, isPlaced),
          topicId
        })),
        Option.getOrUndefined
      ),
    openPreferences: (token) =>
      decodeReader(open("preferences", token)).pipe(
        Option.map((parts) => readerOf(...parts)),
        Option.getOrUndefined
      )
  }
})

/** Makes each token only when it is read: one costs as much as a small rendering, and most templates use none. */
const linked = (
  base: string | undefined,
  unsubscribe: (() => string) | undefined,
  preferences: () => string
): Links => {
  const topic = unsubscribe && once(unsubscribe)
  const page = once(() => base === undefined ? "" : `${base}${paths.preferences}/${preferences()}`)
  return {
    get unsubscribeTrackingId() {
      return topic === undefined ? "" : topic()
    },
    get unsubscribe() {
      return base === undefined || topic === undefined ? page() : `${base}${paths.unsubscribe}/${topic()}`
    },
    get preferences() {
      return page()
    }
  }
}

export const layer = Layer.effect(
  PreferenceLinks,
  Effect.gen(function*() {
    const { preferences, unsubscribe } = yield* tokens
    const base = yield* PublicUrl
    return (reader: Reader, topicId: string | undefined) =>
      linked(
        base,
        topicId === undefined ? undefined : () => unsubscribe({ ...reader, topicId }),
        () => preferences(reader)
      )
  })
)

/** Makes links that look real but lead nowhere, for renderings that are shown to someone other than the user. */
export const harmless = Effect.map(
  PublicUrl,
  (base) => (_: Reader, topicId: string | undefined) =>
    linked(base, topicId === undefined ? undefined : () => "preview", () => "preview")
)
