import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, type Layer, Redacted, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { Client } from "pg"

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

/** The URL of a database of its own on a server that goes as a whole: a connection kept for dropping it would not outlive a restart. */
const databaseOn = async (server: string): Promise<string> => {
  const name = `tidings_${randomUUID().replaceAll("-", "")}`
  const client = new Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** A fresh place; everything in it goes with the scope. Its database is made on `server`, by default the one of all tests. */
export const make = (
  storage: Storage,
  options: { readonly server?: string; readonly runtime?: "node" | "deno" } = {}
): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.gen(function*() {
    const directory = yield* storage === "embedded" ? Directories.withDatabase : Directories.empty
    const url = storage === "embedded" ? undefined : options.server === undefined
      ? yield* Effect.orDie(FreshDatabase.url)
      : Redacted.make(yield* Effect.promise(() => databaseOn(options.server ?? "")))
    return {
      port: yield* Effect.promise(() => Ports.free()),
      clusterPort: yield* Effect.promise(() => Ports.free(2)),
      directory,
      databaseUrl: url === undefined ? undefined : Redacted.value(url),
      ledger: join(directory, "ledger"),
      runtime: options.runtime ?? "node",
      store: url === undefined
        ? Embedded.layer({ dataDir: directory, durability: "process" })
        : PgClient.layer({ url, maxConnections: 2 })
    }
  })
