import { tenantTemplatesContract } from "#test/contracts/TenantTemplates.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

tenantTemplatesContract("memory", Stores.layer)
