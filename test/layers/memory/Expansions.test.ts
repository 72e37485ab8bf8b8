import { expansionsContract } from "#test/contracts/Expansions.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

expansionsContract("memory", Stores.layer)
