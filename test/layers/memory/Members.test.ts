import { membersContract } from "#test/contracts/Members.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

membersContract("memory", Stores.layer)
