import * as References from "#layers/memory/References.ts"
import { receiptsContract } from "#test/contracts/Receipts.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import { Layer } from "effect"

receiptsContract("memory", References.layer.pipe(Layer.provideMerge(Stores.layer)))
