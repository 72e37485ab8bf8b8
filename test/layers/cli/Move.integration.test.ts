import * as ExitCode from "#layers/ExitCode.ts"
import { key, tidings } from "#test/layers/cli/Command.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Directories from "#test/support/Directories.ts"
import { ready, run, serve } from "#test/support/MainProcess.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "pg"

/** What the server on this port answers. */
const ask = async (port: number, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...more },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  return response.json()
}

const query = async (connectionString: string, text: string) => {
  const client = new Client({ connectionString })
  await client.connect()
  return client.query(text).then(({ rows }) => rows, () => []).finally(() => client.end())
}

const message = {
  to: { user_id: "ada" },
  content: { title: "Later", body: "b" },
  routing: { method: "single", channels: ["inbox"] },
  delay: { duration: 3_600_000 }
}

const smtp = {
  provider: "smtp",
  alias: "mail",
  settings: { host: "mail.example.com", from_address: "a@example.com", password: "secret" }
}

const once = { "idempotency-key": "once" }

describe("tidings move", () => {
  it.live(
    "takes an embedded store to Postgres, where its keys, secrets, idempotency keys and pending messages hold",
    () =>
      Effect.gen(function*() {
        const TIDINGS_DATA_DIR = yield* Directories.withDatabase
        const DATABASE_URL = Redacted.value(yield* FreshDatabase.url)
        const [port, TIDINGS_CLUSTER_PORT] = [
          yield* Effect.promise(() => Ports.free()),
          yield* Effect.promise(() => Ports.free())
        ]
        const embedded = {
          TIDINGS_DATA_DIR,
          TIDINGS_DURABILITY: "process",
          TIDINGS_BOOTSTRAP_SECRET: key.replace("pk_prod_", "")
        }
        const both = { ...embedded, DATABASE_URL }
        const started = (environment: Readonly<Record<string, string>>) =>
          Effect.acquireRelease(
            Effect.sync(() => serve("node", port, environment)),
            (server) => Effect.promise(server.kill)
          ).pipe(Effect.tap((server) => Effect.promise(() => ready(server, port))))
        const asked = (...given: Parameters<typeof ask> extends [number, ...infer Rest] ? Rest : never) =>
          Effect.promise(() => ask(port, ...given))
        const moved = (runtime: "deno" | "node", environment: Readonly<Record<string, string>> = both) =>
          Effect.promise(() => tidings(runtime, environment, "move"))

        const first = yield* started(embedded)
        const { requestId } = yield* asked("/send", { message }, once)
        const { id: provider } = yield* asked("/providers", smtp)
        const configuration = yield* asked(`/providers/${provider}`)
        const busy = yield* moved("deno")
        assert.deepStrictEqual([busy.code, busy.stdout], [1, ""])
        assert.match(busy.stderr, /^data directory \S+ is in use by process \d+ .+; stop it first\n$/)
        const elsewhere = yield* moved("node", { ...both, TIDINGS_DATA_DIR: join(TIDINGS_DATA_DIR, "none") })
        assert.strictEqual(
          elsewhere.stderr,
          `there is no embedded database in ${TIDINGS_DATA_DIR}/none: set TIDINGS_DATA_DIR as the server has it\n`
        )
        yield* Effect.promise(first.kill)
        const nowhere = yield* moved("node", embedded)
        assert.deepStrictEqual(nowhere, {
          code: 1,
          stdout: "",
          stderr: "DATABASE_URL is not set: name the empty database to move to\n"
        })
        const unreadable = yield* moved("node", { ...both, DATABASE_URL: "postgres://127.0.0.1/%zz" })
        assert.match(unreadable.stderr, /^DATABASE_URL must be a postgres:\/\/ URL, [^\n]*\n$/)
        const other = Redacted.value(yield* FreshDatabase.url)
        const set = "create table settings (name text, value text); insert into settings values ('shards', '64')"
        yield* Effect.promise(() => query(other, set))
        const taken = yield* moved("node", { ...both, DATABASE_URL: other })
        assert.match(taken.stderr, /^the database of DATABASE_URL has data of Tidings already, in settings; [^\n]+\n$/)
        // Its schema is as it was: an older version may run on it.
        const tables = yield* Effect.promise(() =>
          query(other, "select relname from pg_class where relname = 'messages'")
        )
        assert.deepStrictEqual(tables, [])

        for (const wait of [0, 300]) {
          const killed = run("node", "layers/cli/Tidings.ts", both, ["move"])
          yield* Effect.promise(async () => {
            while ((await query(DATABASE_URL, "select 1 from settings")).length === 0) await sleep(10)
            await sleep(wait)
            await killed.kill()
          })
          // What is moved is small: it may have been moved whole.
          const names = yield* Effect.promise(() =>
            query(DATABASE_URL, "select name from settings where name like 'mov%'")
          )
          if (!existsSync(join(TIDINGS_DATA_DIR, "moved.json"))) assert.deepStrictEqual(names, [{ name: "moving" }])
        }
        const { code, stdout } = yield* moved("deno")
        assert.strictEqual(code, 0)
        const [user = "root", place = ""] = DATABASE_URL.replace(/^\w+:\/\//, "").split("@")
        assert.include(
          stdout,
          `Everything is in ${place} now. Start the server with that DATABASE_URL: without it, a start is refused.\n`
        )
        assert.include(stdout, `keep ${TIDINGS_DATA_DIR}/secret.key, where a server on this machine finds it`)
        assert.notInclude(stdout, `${user}@`)

        const refused = run("node", "layers/main.ts", { ...embedded, PORT: String(port) })
        assert.strictEqual((yield* Effect.promise(() => refused.ended)).code, ExitCode.configuration)
        assert.match(
          refused.stdout(),
          /what is in data directory \S+ was moved to \S+ at \S+: set DATABASE_URL to that; to go back, remove /
        )

        yield* Effect.promise(() => query(DATABASE_URL, "update messages set due_at = 1"))
        yield* started({ ...both, TIDINGS_CLUSTER_PORT: String(TIDINGS_CLUSTER_PORT) })
        assert.deepStrictEqual(yield* asked(`/providers/${provider}`), configuration)
        assert.deepStrictEqual(yield* asked("/send", { message }, once), { requestId })
        yield* Effect.promise(async () => {
          while ((await ask(port, `/messages/${requestId}`)).status !== "SENT") await sleep(50)
        })
        assert.deepStrictEqual(
          yield* Effect.promise(() =>
            query(DATABASE_URL, "select message_id from inbox union all select message_id from attempts")
          ),
          [{ message_id: requestId }, { message_id: requestId }]
        )
      }),
    300_000
  )
})
