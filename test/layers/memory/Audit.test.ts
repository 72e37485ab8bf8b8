import { auditContract } from "#test/contracts/Audit.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

auditContract("memory", Stores.layer)
