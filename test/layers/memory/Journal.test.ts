import { journalContract } from "#test/contracts/Journal.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

journalContract("memory", Stores.layer)
