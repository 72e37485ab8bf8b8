import * as Directories from "#test/support/Directories.ts"
import * as Ports from "#test/support/Ports.ts"
import { ready, type Running, serve } from "#test/support/MainProcess.ts"
import { tidings } from "#test/layers/cli/Command.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, writeFileSync } from "node:fs"
import { chown } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"

const secret = "lostlostlostlostlostlostlostlost"

const statusOf = async (port: number, key: string): Promise<number> => {
  const { status } = await fetch(`http://127.0.0.1:${port}/messages`, { headers: { authorization: `Bearer ${key}` } })
  return status
}

const stopped = async (server: Running): Promise<void> => {
  server.signal("SIGTERM")
  assert.strictEqual((await server.ended).code, 0, server.stderr())
}

describe("tidings new-keys, embedded", () => {
  for (const runtime of ["node", "deno"] as const) {
    it.live(
      `makes keys for an operator who lost all, once the server is stopped, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const TIDINGS_DATA_DIR = yield* Directories.withDatabase
          const port = yield* Effect.promise(() => Ports.free())
          const environment = { TIDINGS_DATA_DIR, TIDINGS_DURABILITY: "process" }
          const started = (more: Readonly<Record<string, string>>) =>
            Effect.acquireRelease(
              Effect.sync(() => serve(runtime, port, { ...environment, ...more })),
              (server) => Effect.promise(server.kill)
            )
          const first = yield* started({ TIDINGS_BOOTSTRAP_SECRET: secret })
          yield* Effect.promise(() => ready(first, port))
          const early = yield* Effect.promise(() => tidings(runtime, environment, "new-keys"))
          assert.strictEqual(early.code, 1, early.stdout)
          assert.match(
            early.stderr,
            /^data directory .+ is in use by process \d+ .+; stop it first\n$/
          )
          assert.strictEqual(early.stdout, "")
          assert.strictEqual(yield* Effect.promise(() => statusOf(port, `pk_prod_${secret}`)), 200)
          yield* Effect.promise(() => stopped(first))

          const late = yield* Effect.promise(() => tidings(runtime, environment, "new-keys"))
          assert.deepStrictEqual([late.code, late.stderr], [0, ""], late.stdout)
          const keys = late.stdout.match(/[pd]k_(?:prod|test)_[\w-]{32,}/g) ?? []
          assert.deepStrictEqual(keys.map((key) => key.slice(0, 8)), ["pk_prod_", "dk_prod_", "pk_test_", "dk_test_"])

          const second = yield* started({})
          yield* Effect.promise(() => ready(second, port))
          for (const key of keys) assert.strictEqual(yield* Effect.promise(() => statusOf(port, key)), 200)
          assert.strictEqual(yield* Effect.promise(() => statusOf(port, `pk_prod_${secret}`)), 401)
          assert.notInclude(second.stdout(), "pk_prod_")
          yield* Effect.promise(() => stopped(second))
        }),
      180_000
    )
  }

  it.live("makes nothing where nothing was set up", () =>
    Effect.gen(function*() {
      const directory = yield* Directories.empty
      const { code, stderr, stdout } = yield* Effect.promise(() =>
        tidings("node", { TIDINGS_DATA_DIR: directory }, "new-keys")
      )
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.strictEqual(
        stderr,
        `the embedded database in ${directory} is not set up yet; ` +
          "set DATABASE_URL or TIDINGS_DATA_DIR as the server has them\n"
      )
      assert.deepStrictEqual(readdirSync(directory), [])
    }), 60_000)

  it.live("says so where the data directory cannot be looked into", () =>
    Effect.gen(function*() {
      const file = join(yield* Directories.empty, "no directory")
      writeFileSync(file, "")
      const { code, stderr, stdout } = yield* Effect.promise(() =>
        tidings("node", { TIDINGS_DATA_DIR: file }, "new-keys")
      )
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(
        stderr,
        /^cannot look into data directory .*no directory: ENOTDIR: .*; set TIDINGS_DATA_DIR as the server has it\n$/
      )
    }), 60_000)

  it.live.skipIf(process.getuid?.() !== 0)(
    "leaves no files of root's in the data directory of another user",
    () =>
      Effect.gen(function*() {
        const directory = yield* Directories.withDatabase
        const database = join(directory, "postgres")
        yield* Effect.promise(() => chown(database, 65_534, 65_534))
        const before = readdirSync(directory, { recursive: true }).toSorted()
        const { code, stderr, stdout } = yield* Effect.promise(() =>
          tidings("node", { TIDINGS_DATA_DIR: directory }, "new-keys")
        )
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.strictEqual(
          stderr,
          `${database} belongs to user 65534, and this is user 0: run it as that one, as the server runs (sudo -u '#65534')\n`
        )
        assert.deepStrictEqual(readdirSync(directory, { recursive: true }).toSorted(), before)
      }),
    60_000
  )
})
