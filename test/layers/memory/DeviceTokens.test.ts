import { deviceTokensContract } from "#test/contracts/DeviceTokens.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

deviceTokensContract("memory", Stores.layer)
