import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Directories from "#test/support/Directories.ts"
import { ready } from "#test/support/MainProcess.ts"
import * as Served from "#test/support/Served.ts"
import * as Ports from "#test/support/Ports.ts"
import * as TcpProxy from "#test/support/TcpProxy.ts"
import { Effect, Redacted } from "effect"

/** The whole product, ready, on a database of its own behind a proxy; `more` of its environment. */
export const start = Effect.fnUntraced(function*(more: Readonly<Record<string, string>>) {
  const direct = yield* FreshDatabase.url
  const database = new URL(Redacted.value(direct))
  const proxy = yield* TcpProxy.start({ host: database.hostname, port: Number(database.port || 5432) })
  database.hostname = "127.0.0.1"
  database.port = String(proxy.port)
  const directory = yield* Directories.empty
  const [port, clusterPort] = yield* Effect.promise(() => Promise.all([Ports.free(), Ports.free()]))
  const server = yield* Served.at(port, {
    DATABASE_URL: database.toString(),
    TIDINGS_CLUSTER_PORT: String(clusterPort),
    TIDINGS_DATA_DIR: directory,
    ...more
  })
  const untilReady = Effect.promise(() => ready(server, port))
  return { database: direct, port, proxy, server, untilReady, url: `http://127.0.0.1:${port}` }
})
