import * as Worker from "#layers/cluster/Worker.ts"
import * as Engine from "#layers/Engine.ts"
import { Settings } from "#layers/settings/Settings.ts"
import type { Providers } from "#src/delivery/Providers.ts"
import { Effect, Layer } from "effect"

/**
 * The whole product with these providers; in a worker, its engine alone, without the HTTP API, which is two hundred
 * modules that a worker does not load.
 */
export const layer = <E, R>(providers: Layer.Layer<Providers, E, R>) =>
  Layer.unwrap(Effect.gen(function*() {
    const settings = yield* Settings
    const engine = Engine.layer(settings, providers)
    if (settings.worker !== undefined) {
      return Engine.stopping.pipe(Layer.provide(Worker.layer), Layer.provide(engine))
    }
    const Server = yield* Effect.promise(() => import("#layers/Server.ts"))
    return Server.layer(settings, engine)
  }))
