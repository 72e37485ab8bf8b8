import { idempotencyContract } from "#test/contracts/Idempotency.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

idempotencyContract("memory", Stores.layer)
