import * as References from "#layers/postgres/References.ts"
import { receiptsContract } from "#test/contracts/Receipts.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { Layer } from "effect"

receiptsContract(
  "Postgres",
  References.layer.pipe(Layer.provideMerge(Stores.layer), Layer.provide(FreshDatabase.layerEmpty))
)
