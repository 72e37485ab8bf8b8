import { templatesContract } from "#test/contracts/Templates.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

templatesContract("memory", Stores.layer)
