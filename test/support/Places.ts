import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { PgClient } from "@effect/sql-pg"
import { ConfigProvider, Effect, type Layer, Redacted, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./CrashProcess.ts"

/** Where servers of one test run, one after the other: ports, data directory, database, and the provider's ledger. */
export interface Place {
  readonly port: number
  readonly clusterPort: number
  readonly directory: string
  readonly databaseUrl: string | undefined
  readonly ledger: string
  /** What the server runs on; Node if nothing is said. */
  readonly runtime?: "node" | "deno"
  /** Words before the command that starts the server: where it runs. */
  readonly prefix?: ReadonlyArray<string>
  /** The store itself, without a server; an embedded one may be opened only while no server runs. */
  readonly store: Layer.Layer<SqlClient.SqlClient, unknown>
}

export type Storage = "embedded" | "Postgres"

/** A fresh place; everything in it goes with the scope. Its database is made on `server`, by default the one of all tests. */
export const make = (
  storage: Storage,
  options: { readonly server?: string; readonly runtime?: "node" | "deno" } = {}
): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.gen(function*() {
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "tidings-crash-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const url = storage === "embedded" ? undefined : yield* Effect.orDie(
      options.server === undefined
        ? FreshDatabase.url
        : Effect.provideService(
          FreshDatabase.url,
          ConfigProvider.ConfigProvider,
          ConfigProvider.fromEnvRecord({ TEST_DATABASE_URL: options.server })
        )
    )
    return {
      port: yield* Effect.promise(freePort),
      clusterPort: yield* Effect.promise(freePort),
      directory,
      databaseUrl: url === undefined ? undefined : Redacted.value(url),
      ledger: join(directory, "ledger"),
      runtime: options.runtime ?? "node",
      store: url === undefined
        ? Embedded.layer({ dataDir: directory, durability: "process" })
        : PgClient.layer({ url, maxConnections: 2 })
    }
  })
