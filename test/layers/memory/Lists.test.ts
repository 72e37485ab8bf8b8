import { listsContract } from "#test/contracts/Lists.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

listsContract("memory", Stores.layer)
