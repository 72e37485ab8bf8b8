import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import { PublicUrl } from "#src/reports/Tracking.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const tokens = (key = 7) => Effect.provide(PreferenceLinks.tokens, secretKey(key))

const links = (url: string | undefined) =>
  Effect.flatMap(
    Layer.build(PreferenceLinks.layer.pipe(Layer.provide([secretKey(7), Layer.succeed(PublicUrl, url)]))),
    (context) => Effect.provideContext(PreferenceLinks.PreferenceLinks, context)
  )

const ada = { scope: Scope.make(1), userId: UserId.make("ada"), tenantId: undefined }

const Ids = {
  scope: Scope,
  userId: UserId,
  tenantId: Schema.UndefinedOr(UserId),
  topicId: Schema.NonEmptyString,
  isPlaced: Schema.Boolean
}

describe("Preference links", () => {
  it.effect.prop(
    "a link is bound to environment, user, tenant and topic, whatever their ids, and always the same",
    Ids,
    ({ isPlaced, ...named }) =>
      Effect.gen(function*() {
        const { openPreferences, openUnsubscribe, preferences, unsubscribe } = yield* tokens()
        const subscription = isPlaced ? { ...named, isPlaced } : named
        const { topicId: _, ...owner } = subscription
        const token = unsubscribe(subscription)
        assert.deepStrictEqual(openUnsubscribe(token), subscription)
        assert.deepStrictEqual(openPreferences(preferences(owner)), owner)
        assert.strictEqual(token, (yield* tokens()).unsubscribe(subscription))
        assert.match(token, /^[\w-]+$/)
        assert.isUndefined(openPreferences(token))
        assert.isUndefined(openUnsubscribe(preferences(owner)))
      })
  )

  it.effect.prop(
    "a forged, altered, cut or foreign token opens nothing",
    { text: Schema.String, at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 39 })) },
    ({ at, text }) =>
      Effect.gen(function*() {
        const { openPreferences, openUnsubscribe, preferences, unsubscribe } = yield* tokens()
        const foreign = yield* tokens(8)
        const good = [unsubscribe({ ...ada, topicId: "pt_news" }), preferences(ada)]
        const forged = good.flatMap((token) => [
          token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1),
          token.slice(0, at),
          `${token}${text}x`,
          ` ${token}`,
          `${token}=`
        ])
        const others = [
          text,
          "",
          "preview",
          foreign.unsubscribe({ ...ada, topicId: "pt_news" }),
          foreign.preferences(ada)
        ]
        for (const token of [...forged, ...others]) {
          assert.isUndefined(openUnsubscribe(token))
          assert.isUndefined(openPreferences(token))
        }
      })
  )

  it.effect.each([["letters", "x"], ["control characters", "\u0001"], ["symbols", "\u{1f984}"]] as const)(
    "the longest ids that a user, a tenant and a topic may have fit in a link (of %s)",
    ([, character]) =>
      Effect.gen(function*() {
        const { openPreferences, openUnsubscribe, preferences, unsubscribe } = yield* tokens()
        const id = character.repeat(512 / character.length)
        const owner = { scope: Scope.make(2_147_483_647), userId: UserId.make(id), tenantId: id }
        assert.deepStrictEqual(openPreferences(preferences(owner)), owner)
        const subscription = { ...owner, topicId: id }
        assert.deepStrictEqual(openUnsubscribe(unsubscribe(subscription)), subscription)
      })
  )

  it.effect("without a public URL there is no link; without a topic unsubscribing is on the page of all", () =>
    Effect.gen(function*() {
      const at = (yield* links("https://mail.example/x"))?.(ada, "pt_news")
      const { preferences, unsubscribe } = yield* tokens()
      const token = unsubscribe({ ...ada, topicId: "pt_news" })
      const page = `https://mail.example/x/t/preferences/${preferences(ada)}`
      assert.deepStrictEqual(at, {
        unsubscribeTrackingId: token,
        unsubscribe: `https://mail.example/x/t/unsubscribe/${token}`,
        preferences: page
      })
      assert.deepStrictEqual((yield* links("https://mail.example/x"))?.(ada, undefined), {
        unsubscribeTrackingId: "",
        unsubscribe: page,
        preferences: page
      })
      assert.deepStrictEqual((yield* links(undefined))?.(ada, "pt_news"), {
        unsubscribeTrackingId: token,
        unsubscribe: "",
        preferences: ""
      })
    }).pipe(Effect.scoped))
})
