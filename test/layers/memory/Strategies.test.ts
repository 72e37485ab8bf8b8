import { strategiesContract } from "#test/contracts/Strategies.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

strategiesContract("memory", Stores.layer)
