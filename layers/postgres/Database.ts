import {
  CannotConnect,
  type OnlyStandby,
  type OtherEncoding,
  type SharedSessions,
  type TooFewSessions,
  type UnreadableFile
} from "#layers/CannotStart.ts"
import * as DatabaseClock from "#layers/postgres/connection/DatabaseClock.ts"
import * as Durability from "#layers/postgres/connection/Durability.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import type { EmbeddedError } from "#layers/postgres/embedded/EmbeddedError.ts"
import * as Encoding from "#layers/postgres/connection/Encoding.ts"
import * as Upkeep from "#layers/postgres/embedded/Upkeep.ts"
import * as Installation from "#layers/postgres/Installation.ts"
import * as LongTransactions from "#layers/postgres/connection/LongTransactions.ts"
import { maxMessageSize } from "#layers/postgres/connection/LongestMessage.ts"
import * as Migrations from "#layers/postgres/Migrations.ts"
import * as OwnSessions from "#layers/postgres/connection/OwnSessions.ts"
import * as Partitions from "#layers/postgres/days/Partitions.ts"
import * as ReadOnly from "#layers/postgres/connection/ReadOnly.ts"
import * as Retention from "#layers/postgres/retention/Retention.ts"
import * as Sessions from "#layers/postgres/connection/Sessions.ts"
import * as Standby from "#layers/postgres/connection/Standby.ts"
import * as Tls from "#layers/postgres/connection/Tls.ts"
import type { Values } from "#layers/settings/Settings.ts"
import type { PgClient } from "@effect/sql-pg"
import { Effect, type FileSystem, Layer, type Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

type Client = Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient,
  | CannotConnect
  | EmbeddedError
  | OnlyStandby
  | OtherEncoding
  | Schema.SchemaError
  | SharedSessions
  | SqlError.SqlError
  | TooFewSessions
  | UnreadableFile,
  FileSystem.FileSystem
>

/**
 * TCP keep-alive of connections. One that only listens sends nothing, and would otherwise never notice that the other
 * side is gone.
 */
const keepAlive = "10 seconds"

/**
 * The sessions of a server, of one whose engine runs in workers, and of a worker. Those that listen for audiences and
 * for what is due, and the one that holds the shards' locks, are taken for good.
 */
const alone: OwnSessions.Sessions = { most: 10, fewest: 4, remedy: "a node takes up to 10" }
const beside = "a node takes up to 8, and 6 for each worker; with TIDINGS_WORKERS=0 it takes up to 10, and needs 4"
const serving: OwnSessions.Sessions = { most: 8, fewest: 3, remedy: beside }
const working: OwnSessions.Sessions = { most: 6, fewest: 3, remedy: beside }

/** Postgres: embedded in this process, or the operator's, whose clock this node then follows (P7). */
const client = ({ databaseUrl: url, dataDir, durability, worker, workers }: Values): Client => {
  if (url === undefined)
    return Upkeep.layer.pipe(Layer.provideMerge(Embedded.layer({ dataDir, durability, connections: 5 })))
  const sessions = worker !== undefined ? working : workers > 0 ? serving : alone
  const pool = { url, maxConnections: sessions.most, connectTimeout: "2 seconds", keepAlive, maxMessageSize } as const
  // What its server has looked at and warned of, a worker need not.
  const looks = worker === undefined
    ? Layer.mergeAll(Encoding.layer, Durability.layer, LongTransactions.layer)
    : Layer.empty
  return Layer.mergeAll(DatabaseClock.layer, ReadOnly.layer(sessions.most), looks).pipe(
    Layer.provideMerge(Standby.layer),
    Layer.provideMerge(OwnSessions.layer(sessions)),
    Layer.provideMerge(Layer.unwrap(Effect.map(Tls.ofUrl(url), (ssl) => Sessions.layer({ ...pool, ssl })))),
    Layer.catchTag("SqlError", (cause) => Layer.effectContext(new CannotConnect({ cause })))
  )
}

/** The database of a node, with its schema, its days to come, and those that may go. */
export const layer = (settings: Values) =>
  Layer.merge(
    Partitions.layer,
    settings.worker === undefined ? Retention.layer(settings) : Layer.empty
  ).pipe(
    Layer.provideMerge(Installation.layer(settings.shards)),
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(client(settings))
  )
