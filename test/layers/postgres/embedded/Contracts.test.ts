import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { everyContract } from "#test/contracts/Every.ts"
import * as Directories from "#test/support/Directories.ts"
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
import { Effect, Layer } from "effect"

/** One for all suites, since its start takes seconds: every test has a place of its own in it (`Fixture.world`). */
const database = PerFile.shared(
  Layer.unwrap(Effect.map(Directories.withDatabase, (dataDir) => Embedded.layer({ dataDir, durability: "process" })))
)

const stores = Stores.layer.pipe(Layer.provideMerge(database))

unreadableRows("embedded", stores)
unreadableLists("embedded", stores)
unreadableTopics("embedded", stores)
refusals("embedded", stores)
everyContract("embedded", stores, { oneBackend: true })
largeRows("embedded", stores)
frames("embedded", stores)
resumed("embedded", stores)
sharedInstructions("embedded", stores)
