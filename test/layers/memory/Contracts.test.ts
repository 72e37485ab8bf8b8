import { everyContract } from "#test/contracts/Every.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

everyContract("memory", Stores.layer)
