import * as Database from "#layers/memory/Database.ts"
import * as DeviceTokens from "#layers/memory/DeviceTokens.ts"
import * as Translations from "#layers/memory/Translations.ts"
import { Layer } from "effect"

/** The stores of translations, devices, submissions and audit, in memory. */
export const layer = Layer.fresh(
  Layer.mergeAll(DeviceTokens.layer, Translations.layer).pipe(Layer.provide(Database.layer))
)
