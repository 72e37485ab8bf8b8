import { userPreferencesContract } from "#test/contracts/UserPreferences.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

userPreferencesContract("memory", Stores.layer)
