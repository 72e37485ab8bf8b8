import { apiKeysContract } from "#test/contracts/ApiKeys.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

apiKeysContract("memory", Stores.layer)
