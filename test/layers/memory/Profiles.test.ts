import { profilesContract } from "#test/contracts/Profiles.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

profilesContract("memory", Stores.layer)
