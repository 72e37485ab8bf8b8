import * as App from "#layers/App.ts"
import * as Outbound from "#layers/outbound/Outbound.ts"
import * as Configured from "#layers/providers/Configured.ts"
import * as FirstStart from "#layers/providers/FirstStart.ts"
import * as Installed from "#layers/providers/Installed.ts"
import * as Run from "#layers/Run.ts"
import { Layer } from "effect"

const providers = Configured.layer.pipe(Layer.provide(Installed.layer), Layer.provide(Outbound.layer))

Run.main(App.layer(Layer.merge(providers, FirstStart.layer)))
