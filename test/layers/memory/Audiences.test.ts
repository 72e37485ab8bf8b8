import { audiencesContract } from "#test/contracts/Audiences.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

audiencesContract("memory", Stores.layer)
