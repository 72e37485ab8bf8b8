import { tidings } from "#test/layers/cli/Command.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Directories from "#test/support/Directories.ts"
import { ready, run, serve } from "#test/support/MainProcess.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { readdirSync } from "node:fs"
import { Client } from "pg"

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")

const digests = async (connectionString: string): Promise<ReadonlyArray<string>> => {
  const client = new Client({ connectionString })
  await client.connect()
  const { rows } = await client.query("select digest from api_keys order by digest")
  await client.end()
  return rows.map(({ digest }) => digest)
}

describe("tidings new-keys on Postgres", () => {
  it.live("makes keys beside running nodes, with the key of the installation only", () =>
    Effect.gen(function*() {
      const DATABASE_URL = Redacted.value(yield* FreshDatabase.url)
      const TIDINGS_DATA_DIR = yield* Directories.empty
      const port = yield* Effect.promise(() => Ports.free())
      const environment = { DATABASE_URL, TIDINGS_DATA_DIR }
      const newKeys = (more: Readonly<Record<string, string>>) =>
        Effect.promise(() => tidings("node", { ...environment, ...more }, "new-keys"))

      const fresh = yield* newKeys({ TIDINGS_SECRET_KEY: keyOf(1) })
      assert.deepStrictEqual([fresh.code, fresh.stdout], [1, ""])
      assert.match(fresh.stderr, /^the database of DATABASE_URL is not set up yet; /)

      const server = yield* Effect.acquireRelease(
        Effect.sync(() => serve("node", port, { ...environment, TIDINGS_SECRET_KEY: keyOf(1), TIDINGS_WORKERS: "0" })),
        (server) => Effect.promise(server.kill)
      )
      yield* Effect.promise(() => ready(server, port))
      const before = yield* Effect.promise(() => digests(DATABASE_URL))

      const keyless = yield* newKeys({})
      assert.deepStrictEqual([keyless.code, keyless.stdout], [1, ""])
      assert.strictEqual(
        keyless.stderr,
        `TIDINGS_SECRET_KEY is not set, and there is no ${TIDINGS_DATA_DIR}/secret.key: set the key that the nodes have\n`
      )
      assert.deepStrictEqual(readdirSync(TIDINGS_DATA_DIR), [])
      const other = yield* newKeys({ TIDINGS_SECRET_KEY: keyOf(2) })
      assert.deepStrictEqual([other.code, other.stdout], [1, ""])
      assert.match(other.stderr, /^TIDINGS_SECRET_KEY is not the key that this database was set up with; /)
      assert.deepStrictEqual(yield* Effect.promise(() => digests(DATABASE_URL)), before)

      for (const runtime of ["node", "deno"] as const) {
        const unseen = run(
          runtime,
          "layers/cli/Tidings.ts",
          { ...environment, TIDINGS_SECRET_KEY: keyOf(1) },
          ["new-keys"],
          "ignore"
        )
        assert.strictEqual((yield* Effect.promise(() => unseen.ended)).code, 1)
        assert.strictEqual(
          unseen.stderr(),
          "the API keys could not be shown, so none were made: standard output is closed, or goes nowhere\n"
        )
        assert.deepStrictEqual(yield* Effect.promise(() => digests(DATABASE_URL)), before)
      }

      const made = yield* newKeys({ TIDINGS_SECRET_KEY: keyOf(1) })
      assert.deepStrictEqual([made.code, made.stderr], [0, ""], made.stdout)
      assert.include(made.stdout, "Nodes that run may take the old ones for a minute more")
      const [key = ""] = /pk_prod_[\w-]{32,}/.exec(made.stdout) ?? []
      const answer = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/messages`, { headers: { authorization: `Bearer ${key}` } })
      )
      assert.strictEqual(answer.status, 200)
      const after = yield* Effect.promise(() => digests(DATABASE_URL))
      assert.lengthOf(after, 4)
      assert.isEmpty(after.filter((digest) => before.includes(digest)))

      const chosen = yield* newKeys({ TIDINGS_SECRET_KEY: keyOf(1), TIDINGS_BOOTSTRAP_SECRET: "c".repeat(32) })
      assert.deepStrictEqual([chosen.code, chosen.stderr], [0, ""], chosen.stdout)
      assert.notInclude(chosen.stdout, "c".repeat(32))
    }), 120_000)
})
