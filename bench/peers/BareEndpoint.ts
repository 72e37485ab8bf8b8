import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as SendApi from "./SendApi.ts"

// Stores nothing, to show what Effect's HTTP stack alone can do with this body.
SendApi.serve(() => Effect.sync(() => randomUUID()))
