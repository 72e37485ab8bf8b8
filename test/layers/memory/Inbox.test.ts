import { inboxContract } from "#test/contracts/Inbox.ts"
import * as Stores from "#test/layers/memory/Stores.ts"

inboxContract("memory", Stores.layer)
