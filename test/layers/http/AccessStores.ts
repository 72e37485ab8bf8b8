import * as Database from "#layers/memory/Database.ts"
import * as DeviceTokens from "#layers/memory/DeviceTokens.ts"
import * as RateLimits from "#layers/memory/RateLimits.ts"
import * as Translations from "#layers/memory/Translations.ts"
import * as UserTokens from "#src/access/UserTokens.ts"
import { secretKey } from "#test/layers/postgres/Stores.ts"
import { Layer } from "effect"

/** The stores of translations, devices, submissions and audit, in memory. */
export const layer = Layer.fresh(
  Layer.mergeAll(DeviceTokens.layer, RateLimits.layer, Translations.layer, UserTokens.layer).pipe(
    Layer.provide([Database.layer, secretKey(7)])
  )
)
