import { CannotConnect, said, sentence, type UnreadableFile } from "#layers/CannotStart.ts"
import { Stopped } from "#layers/cli/Server.ts"
import * as DatabaseClock from "#layers/postgres/connection/DatabaseClock.ts"
import * as DataDirectory from "#layers/postgres/embedded/DataDirectory.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { DataDirectoryInUse, type EmbeddedError } from "#layers/postgres/embedded/EmbeddedError.ts"
import * as Installation from "#layers/postgres/Installation.ts"
import * as Sessions from "#layers/postgres/connection/Sessions.ts"
import * as Tls from "#layers/postgres/connection/Tls.ts"
import * as SecretKeyFile from "#layers/settings/SecretKeyFile.ts"
import * as Settings from "#layers/settings/Settings.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, FileSystem, Layer, Option, Path, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import process from "node:process"

/** The store of these settings, as the server opens it. The lock of a data directory keeps two from having it. */
export const client = (
  { databaseUrl: url, dataDir, durability }: Settings.Values
): Layer.Layer<
  SqlClient.SqlClient,
  CannotConnect | EmbeddedError | Schema.SchemaError | UnreadableFile,
  FileSystem.FileSystem
> => {
  if (url === undefined) return Embedded.layer({ dataDir, durability })
  const pool = { url, maxConnections: 2, connectTimeout: "2 seconds" } as const
  return DatabaseClock.layer.pipe(
    Layer.provideMerge(Layer.unwrap(Effect.map(Tls.ofUrl(url), (ssl) => Sessions.layer({ ...pool, ssl })))),
    Layer.catchTag("SqlError", (cause) => Layer.effectContext(new CannotConnect({ cause })))
  )
}

const notSetUp = ({ databaseUrl, dataDir }: Settings.Values) => {
  const what = databaseUrl === undefined ? `the embedded database in ${dataDir}` : "the database of DATABASE_URL"
  return new Stopped({
    sentence: `${what} is not set up yet; set DATABASE_URL or TIDINGS_DATA_DIR as the server has them`,
    code: 1
  })
}

/** The files that another user makes here, such as root, the server could not open any more. */
const isOurs = Effect.fnUntraced(function*(database: string) {
  const owner = Option.getOrUndefined((yield* FileSystem.FileSystem.use(({ stat }) => stat(database))).uid)
  const user = process.getuid?.()
  if (owner === undefined || user === undefined || owner === user) return
  return yield* new Stopped({
    sentence:
      `${database} belongs to user ${owner}, and this is user ${user}: run it as that one, as the server runs ` +
      `(sudo -u '#${owner}')`,
    code: 1
  })
})

/** Whether there is such a path in the data directory, which may be closed to this user, or none. */
export const has = Effect.fnUntraced(function*(dataDir: string, path: string) {
  return yield* FileSystem.FileSystem.use(({ exists }) => exists(path)).pipe(
    Effect.catch((cause) =>
      Effect.andThen(
        Effect.catchTag(isOurs(dataDir), "PlatformError", () => Effect.void),
        new Stopped({
          sentence: `cannot look into data directory ${dataDir}: ${
            said(cause)
          }; set TIDINGS_DATA_DIR as the server has it`,
          code: 1
        })
      )
    )
  )
})

/** Fails where there is nothing yet: to open the store, or to look for its key, would make one. */
const isThere = Effect.fnUntraced(function*(settings: Settings.Values) {
  const { databaseUrl, dataDir, secretKey } = settings
  if (databaseUrl === undefined) {
    const database = DataDirectory.databaseIn(dataDir)
    if (!(yield* has(dataDir, database))) return yield* notSetUp(settings)
    return yield* isOurs(database)
  }
  const file = (yield* Path.Path).join(dataDir, "secret.key")
  if (secretKey === undefined && !(yield* has(dataDir, file))) {
    return yield* new Stopped({
      sentence: `TIDINGS_SECRET_KEY is not set, and there is no ${file}: set the key that the nodes have`,
      code: 1
    })
  }
})

/** That a server has set this database up. */
const isSetUp = Effect.fnUntraced(function*(settings: Settings.Values) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select 1 where to_regclass('api_keys') is not null and to_regclass('settings') is not null`
  if (found.length === 0) return yield* notSetUp(settings)
})

/** Runs what needs this store itself, with the settings of the server on it, which has set it up. */
export const opened = <A, E, R>(settings: Settings.Values, store: typeof client, use: Effect.Effect<A, E, R>) =>
  Effect.andThen(
    isThere(settings),
    Effect.provide(
      use,
      Installation.layer(settings.shards).pipe(
        Layer.provide(Layer.effectDiscard(isSetUp(settings))),
        Layer.provideMerge(store(settings)),
        Layer.provideMerge(SecretKeyFile.layer),
        Layer.provide(Layer.succeed(Settings.Settings, settings))
      )
    )
  )

/** Another data directory than the server's is never what such a command is for. */
const inWords = (error: unknown): string =>
  error instanceof DataDirectoryInUse ? `${error.fact}; stop it first` : sentence(error, "this command")

/** Runs what needs the settings of the server. Whatever fails is a sentence. */
export const withSettings = <A, E, R>(use: (settings: Settings.Values) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settings.Settings, use).pipe(
    Effect.provide([Settings.layer, NodeCrypto.layer]),
    Effect.mapError((error) => error instanceof Stopped ? error : new Stopped({ sentence: inWords(error), code: 1 }))
  )

/** Runs what needs the store itself, and not a server on it. */
export const withStore = <A, E, R>(use: (settings: Settings.Values) => Effect.Effect<A, E, R>) =>
  withSettings((settings) => opened(settings, client, use(settings)))
