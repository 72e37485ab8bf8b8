import * as ExitCode from "#layers/ExitCode.ts"
import * as DirectoryLock from "#layers/postgres/embedded/DirectoryLock.ts"
import { moving } from "#layers/postgres/Installation.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { installed, on } from "#test/layers/postgres/move/Moving.ts"
import * as Directories from "#test/support/Directories.ts"
import { run } from "#test/support/MainProcess.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A data directory that this was done to. */
const changed = (change: (directory: string) => void) =>
  Effect.map(Directories.withDatabase, (TIDINGS_DATA_DIR) => {
    change(TIDINGS_DATA_DIR)
    return { TIDINGS_DATA_DIR }
  })

/** A database that a node set up, with these settings of another one. */
const setUp = (TIDINGS_SECRET_KEY: number, more: Readonly<Record<string, string>> = {}, sql?: string) =>
  Effect.gen(function*() {
    const database = yield* FreshDatabase.url
    yield* Effect.scoped(Layer.build(Layer.provide(installed, FreshDatabase.node(database))))
    if (sql !== undefined) yield* on(database, (client) => client.unsafe(sql))
    return {
      DATABASE_URL: Redacted.value(database),
      TIDINGS_DATA_DIR: yield* Directories.empty,
      TIDINGS_SECRET_KEY: Buffer.alloc(32, TIDINGS_SECRET_KEY).toString("base64"),
      ...more
    }
  })

const mark = JSON.stringify({ id: "1", to: "db.example.com/tidings", at: "2026-11-28T00:00:00Z" })

const lasting = {
  "a wrong variable": Effect.succeed({ TIDINGS_SHARDS: "0" }),
  "a wrong variable of a first start's provider": Effect.succeed({ TWILIO_ACCOUNT_SID: "AC" }),
  "a key's file that is missing": changed((directory) => rmSync(join(directory, "secret.key"))),
  "a key's file without a key": changed((directory) => writeFileSync(join(directory, "secret.key"), "junk")),
  "a data directory that was moved": changed((directory) => writeFileSync(join(directory, "moved.json"), mark)),
  "a file of DATABASE_URL that is not there": Effect.succeed({
    DATABASE_URL: "postgres://127.0.0.1:1/x?sslrootcert=/nowhere/ca.crt",
    TIDINGS_SECRET_KEY: Buffer.alloc(32).toString("base64")
  }),
  "another installation's key": setUp(2),
  "another number of shards": setUp(1, { TIDINGS_SHARDS: "63" })
}

const passing = {
  "a database that does not let it in": Effect.map(
    setUp(1),
    (all) => ({ ...all, DATABASE_URL: `${all.DATABASE_URL}x` })
  ),
  "a database that is being moved into": setUp(1, {}, `insert into settings values ('${moving}', '1')`),
  "a data directory that another process has": Effect.gen(function*() {
    const TIDINGS_DATA_DIR = yield* Directories.withDatabase
    yield* DirectoryLock.acquire(TIDINGS_DATA_DIR)
    return { TIDINGS_DATA_DIR }
  })
}

describe("a supervisor knows by the exit code of a start whether to try again", () => {
  for (const runtime of ["node", "deno"] as const) {
    it.live(
      `${ExitCode.configuration} for an argument, which the server would not heed, before anything is made, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const TIDINGS_DATA_DIR = join(yield* Directories.empty, "data")
          const server = run(runtime, "layers/main.ts", { PORT: "0", TIDINGS_DATA_DIR }, ["--port", "4000"])
          yield* Effect.addFinalizer(() => Effect.promise(server.kill))
          while (server.child.exitCode === null && !existsSync(TIDINGS_DATA_DIR)) yield* Effect.sleep("50 millis")
          assert.isFalse(existsSync(TIDINGS_DATA_DIR))
          const end = yield* Effect.promise(() => server.ended)
          assert.strictEqual(end.code, ExitCode.configuration, server.stdout())
          assert.include(server.stdout(), "the server takes no arguments")
        }),
      120_000
    )

    for (const [code, faults] of [[ExitCode.configuration, lasting], [1, passing]] as const) {
      for (
        const [fault, environment] of Object.entries<Effect.Effect<Record<string, string>, unknown, Scope.Scope>>(
          faults
        )
      ) {
        it.live(`${code} for ${fault}, on ${runtime}`, () =>
          Effect.gen(function*() {
            const server = run(runtime, "layers/main.ts", { PORT: "0", ...yield* environment })
            const end = yield* Effect.promise(() => server.ended)
            assert.strictEqual(end.code, code, server.stdout())
            assert.include(server.stdout(), "\"FATAL\"")
          }), 120_000)
      }
    }
  }
})
