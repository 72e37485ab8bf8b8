import { all } from "#layers/providers/Catalogue.ts"
import { smtp } from "#layers/providers/smtp/Smtp.ts"
import type { VendorHttp } from "#layers/providers/VendorHttp.ts"
import { Catalogue, entry } from "#src/delivery/providers/Catalogue.ts"
import { Context, Effect, Layer } from "effect"

/** Every vendor that this server can be configured to send through. */
export const layer = Layer.effect(
  Catalogue,
  Effect.map(Effect.context<VendorHttp>(), (context) =>
    Catalogue.of({
      entries: [entry(smtp)(Context.empty()), ...all.map(({ catalogued }) => catalogued(context))]
    }))
)
