import { messageLogContract } from "#test/contracts/MessageLog.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

messageLogContract("memory", Stores.layer)
