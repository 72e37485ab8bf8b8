import * as App from "#layers/App.ts"
import * as Outbound from "#layers/outbound/Outbound.ts"
import * as Installed from "#layers/providers/Installed.ts"
import * as Run from "#layers/Run.ts"
import { Layer } from "effect"

Run.main(App.layer(Installed.layer.pipe(Layer.provide(Outbound.layer))))
