import * as Database from "#layers/memory/Database.ts"
import * as MemoryExpansions from "#layers/memory/Expansions.ts"
import * as MemoryJournal from "#layers/memory/Journal.ts"
import * as MemoryLog from "#layers/memory/MessageLog.ts"
import * as MemoryProfiles from "#layers/memory/Profiles.ts"
import * as PostgresExpansions from "#layers/postgres/Expansions.ts"
import * as PostgresJournal from "#layers/postgres/Journal.ts"
import * as Invalidations from "#layers/postgres/notices/Invalidations.ts"
import { Looks } from "#layers/postgres/statements/Looks.ts"
import * as PostgresLog from "#layers/postgres/MessageLog.ts"
import * as PostgresProfiles from "#layers/postgres/Profiles.ts"
import type { MessageLog } from "#src/reports/MessageLog.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import type { NodeStores } from "#test/support/EngineNode.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"

/** A store for engines in virtual time: what all nodes share, and what each has of its own. */
export interface EngineStores<S> {
  readonly name: string
  readonly shared: Layer.Layer<S | MessageLog, unknown>
  readonly node: NodeStores<S>
  /** Runs of a property: a store of a database takes its time. */
  readonly runs: number
}

export const memory: EngineStores<Database.Database> = {
  name: "memory",
  shared: MemoryLog.layer.pipe(
    Layer.provideMerge(Database.layer),
    Layer.provide([secretKey(7), NodeCrypto.layer])
  ),
  node: Layer.mergeAll(MemoryExpansions.layer, MemoryJournal.layer, MemoryProfiles.layer),
  runs: Number(process.env["CRASH_RUNS"] ?? "40")
}

export const postgres: EngineStores<SqlClient.SqlClient> = {
  name: "Postgres",
  shared: PostgresLog.layer.pipe(
    Layer.provideMerge(FreshDatabase.layer),
    Layer.provide([secretKey(7), NodeCrypto.layer])
  ),
  node: Layer.mergeAll(PostgresExpansions.layer, PostgresJournal.layer, PostgresProfiles.layer).pipe(
    // Time is virtual and the database is not: an hour passes while a look is on its way.
    Layer.provide([NodeCrypto.layer, Invalidations.layer, Layer.succeed(Looks, "1000 days")])
  ),
  runs: 6
}
