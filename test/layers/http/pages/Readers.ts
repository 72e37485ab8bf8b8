import * as Front from "#layers/http/Front.ts"
import { createServer } from "#layers/http/NodeServer.ts"
import * as PreferenceRoute from "#layers/http/pages/Preferences.ts"
import * as UnsubscribeRoute from "#layers/http/pages/Unsubscribe.ts"
import type { PreferenceTopic, RecipientPreferences, TopicSetting } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Brands } from "#src/content/Brands.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import * as PreferenceLinks from "#src/people/PreferenceLinks.ts"
import * as PreferencePage from "#src/people/PreferencePage.ts"
import * as Unsubscribing from "#src/people/Unsubscribing.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

export const owner = { scope: Scope.make(1), userId: UserId.make("ada"), tenantId: undefined }

export interface Asked {
  readonly body?: string
  readonly type?: string
}

/** The pages of readers on a port of their own, over the stores in memory; `isAway` takes the store of users' words away, `isSilent` its answers. */
export const start = Effect.gen(function*() {
  let isAway = false
  let isSilent = false
  let writes = 0
  let meanwhile: Effect.Effect<void, StoreUnavailable> = Effect.void
  const base = yield* Layer.build(Layer.fresh(Stores.layer))
  const users = Context.get(base, UserPreferences)
  const written = (write: Effect.Effect<void, StoreUnavailable>) =>
    Effect.suspend(() => {
      writes++
      const first = meanwhile
      meanwhile = Effect.void
      return Effect.andThen(first, write)
    })
  const watched = Layer.succeed(UserPreferences, {
    ...users,
    find: (...args) =>
      isSilent
        ? Effect.never
        : isAway
        ? Effect.fail(new StoreUnavailable({ cause: "planted" }))
        : users.find(...args),
    put: (...args) => written(users.put(...args)),
    merge: (...args) => written(users.merge(...args))
  })
  const routes = Layer.mergeAll(
    UnsubscribeRoute.layer.pipe(Layer.provide(Unsubscribing.layer)),
    PreferenceRoute.layer.pipe(Layer.provide(PreferencePage.layer))
  ).pipe(Layer.provide(watched), Layer.provide([Layer.succeedContext(base), secretKey(7)]))
  const context = yield* Layer.build(
    Front.serve.pipe(
      Layer.provide(Front.layer(HttpRouter.toHttpEffect(routes))),
      Layer.provideMerge(
        NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })
      )
    )
  )
  const origin = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provideContext(context))
  const catalogue = Context.get(base, PreferenceCatalogue)
  const section = yield* catalogue.createSection(owner.scope, { name: "Account" })
  return {
    origin,
    catalogue,
    section,
    users,
    brands: Context.get(base, Brands),
    tenants: Context.get(base, Tenants),
    tokens: yield* Effect.provide(PreferenceLinks.tokens, secretKey(7)),
    foreign: yield* Effect.provide(PreferenceLinks.tokens, secretKey(8)),
    topic: (topic: Partial<PreferenceTopic> = {}) =>
      Effect.map(
        catalogue.createTopic(owner.scope, section.id, { name: "News", default_status: "OPTED_IN", ...topic }),
        ({ id }) => id
      ),
    said: (tenantId?: string) =>
      Effect.map(Context.get(base, OverriddenTopics).of({ ...owner, tenantId }), ({ overrides }) => overrides),
    say: (topicId: string, setting: TopicSetting) =>
      users.put({ ...owner, tenantId: undefined }, [{ topicId, setting }]),
    /** Her preferences by notification and category, as `PUT /preferences/:recipient_id` stores them. */
    sayOld: (preferences: RecipientPreferences) =>
      Context.get(base, LegacyPreferences).replace(owner.scope, owner.userId, preferences),
    writes: () => writes,
    /** Is done once, between what the next write has read and the write. */
    meanwhile: (effect: Effect.Effect<void, StoreUnavailable>) =>
      Effect.sync(() => {
        meanwhile = effect
      }),
    leave: Effect.sync(() => {
      isAway = true
    }),
    hang: Effect.sync(() => {
      isSilent = true
    }),
    ask: (method: string, path: string, { body, type = "application/x-www-form-urlencoded" }: Asked = {}) =>
      Effect.promise(async () => {
        const response = await fetch(`${origin}${path}`, {
          method,
          redirect: "manual",
          ...(body === undefined ? {} : { body, headers: { "content-type": type } })
        })
        return { status: response.status, text: await response.text(), headers: response.headers }
      })
  }
})
