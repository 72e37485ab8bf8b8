import * as Audit from "#layers/memory/Audit.ts"
import * as Database from "#layers/memory/Database.ts"
import * as DeviceTokens from "#layers/memory/DeviceTokens.ts"
import * as RateLimits from "#layers/memory/RateLimits.ts"
import * as SendCounts from "#layers/memory/SendCounts.ts"
import * as SendLimits from "#layers/memory/SendLimits.ts"
import * as Suppressions from "#layers/memory/Suppressions.ts"
import * as Translations from "#layers/memory/Translations.ts"
import * as Webhooks from "#layers/memory/Webhooks.ts"
import * as UserTokens from "#src/access/UserTokens.ts"
import * as Reports from "#src/reports/Webhooks.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer } from "effect"

/** Users' tokens, the stores of translations, devices, suppressed addresses, send limits and webhooks, and request counts, in memory; what a POST does meets the fault. */
export const layer = (faults: { readonly crash: boolean }) => {
  const tokens = Layer.effect(
    UserTokens.UserTokens,
    Effect.map(UserTokens.UserTokens, (tokens) => ({
      ...tokens,
      issue: (...args) => Effect.suspend(() => faults.crash ? Effect.die("planted") : tokens.issue(...args))
    }))
  ).pipe(Layer.provide(UserTokens.layer))
  const webhooks = Layer.effect(
    Reports.Webhooks,
    Effect.map(Reports.Webhooks, (webhooks) => ({
      ...webhooks,
      create: (...args) => Effect.suspend(() => faults.crash ? Effect.die("planted") : webhooks.create(...args)),
      renew: (...args) => Effect.suspend(() => faults.crash ? Effect.die("planted") : webhooks.renew(...args))
    }))
  ).pipe(Layer.provide(Webhooks.layer))
  return Layer.fresh(
    Layer.mergeAll(
      Audit.layer,
      DeviceTokens.layer,
      RateLimits.layer,
      SendCounts.layer,
      SendLimits.layer,
      Suppressions.layer,
      Translations.layer,
      tokens,
      webhooks
    )
      .pipe(
        Layer.provideMerge(secretKey(7)),
        Layer.provide([Database.layer, NodeCrypto.layer])
      )
  )
}
