import { everyContract } from "#test/contracts/Every.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { frames } from "#test/layers/postgres/Frames.ts"
import { largeRows } from "#test/layers/postgres/Large.ts"
import { refusals } from "#test/layers/postgres/Refusals.ts"
import { resumed } from "#test/layers/postgres/Resumed.ts"
import { sharedInstructions } from "#test/layers/postgres/SharedInstructions.ts"
import { unreadableRows } from "#test/layers/postgres/Unreadable.ts"
import { unreadableLists } from "#test/layers/postgres/UnreadableLists.ts"
import { unreadableTopics } from "#test/layers/postgres/UnreadableTopics.ts"
import * as PerFile from "#test/support/PerFile.ts"
import { Layer } from "effect"

/** One database for all suites: every test has a place of its own in it (`Fixture.world`). */
const stores = Stores.layer.pipe(Layer.provideMerge(PerFile.shared(FreshDatabase.layerEmpty)))

everyContract("Postgres", stores)
unreadableRows("Postgres", stores)
unreadableLists("Postgres", stores)
unreadableTopics("Postgres", stores)
refusals("Postgres", stores)
largeRows("Postgres", stores)
frames("Postgres", stores)
resumed("Postgres", stores)
sharedInstructions("Postgres", stores)
