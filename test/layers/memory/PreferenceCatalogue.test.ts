import { preferenceCatalogueContract } from "#test/contracts/PreferenceCatalogue.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

preferenceCatalogueContract("memory", Stores.layer)
