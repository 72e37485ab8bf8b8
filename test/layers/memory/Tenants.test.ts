import { tenantsContract } from "#test/contracts/Tenants.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

tenantsContract("memory", Stores.layer)
