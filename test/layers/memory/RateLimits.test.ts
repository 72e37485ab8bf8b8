import { rateLimitsContract } from "#test/contracts/RateLimits.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

rateLimitsContract("memory", Stores.layer)
