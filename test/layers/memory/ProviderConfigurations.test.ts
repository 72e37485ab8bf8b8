import { providerConfigurationsContract } from "#test/contracts/ProviderConfigurations.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

providerConfigurationsContract("memory", Stores.layer)
