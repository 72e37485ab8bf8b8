import { inboxContract } from "#test/contracts/Inbox.ts"
import { journalContract } from "#test/contracts/Journal.ts"
import { messageLogContract } from "#test/contracts/MessageLog.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { Layer } from "effect"

/** Each suite has a database of its own. */
const stores = Stores.layer.pipe(Layer.provide(FreshDatabase.layerEmpty))

inboxContract("Postgres", stores)
journalContract("Postgres", stores)
messageLogContract("Postgres", stores)
