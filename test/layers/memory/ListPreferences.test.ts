import { listPreferencesContract } from "#test/contracts/ListPreferences.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

listPreferencesContract("memory", Stores.layer)
