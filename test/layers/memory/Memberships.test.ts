import { membershipsContract } from "#test/contracts/Memberships.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

membershipsContract("memory", Stores.layer)
