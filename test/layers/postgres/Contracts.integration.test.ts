import { everyContract } from "#test/contracts/Every.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import * as PerFile from "#test/support/PerFile.ts"
import { Layer } from "effect"

/** One database for all suites: every test has a place of its own in it (`Fixture.world`). */
everyContract("Postgres", Stores.layer.pipe(Layer.provide(PerFile.shared(FreshDatabase.layerEmpty))))
