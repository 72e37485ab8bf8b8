import { tidings } from "#test/layers/cli/Command.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Directories from "#test/support/Directories.ts"
import { ready, serve } from "#test/support/MainProcess.ts"
import * as Ports from "#test/support/Ports.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"

const secret = "leakedleakedleakedleakedleakedleaked"
const leaked = `pk_prod_${secret}`

const call = async (port: number, key: string, method: string, path: string, body?: unknown) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, text: await response.text() }
}

describe("tidings keys, new-key and end-key", () => {
  it.live(
    "take one key out of service beside running nodes, and put another in its place before",
    () =>
      Effect.gen(function*() {
        const environment = {
          DATABASE_URL: Redacted.value(yield* FreshDatabase.url),
          TIDINGS_DATA_DIR: yield* Directories.empty,
          TIDINGS_SECRET_KEY: Buffer.alloc(32, 1).toString("base64")
        }
        const port = yield* Effect.promise(() => Ports.free())
        const serving = { ...environment, TIDINGS_WORKERS: "0", TIDINGS_BOOTSTRAP_SECRET: secret }
        const server = yield* Effect.acquireRelease(
          Effect.sync(() => serve("node", port, serving)),
          (server) => Effect.promise(server.kill)
        )
        yield* Effect.promise(() => ready(server, port))
        const asked = (...args: ReadonlyArray<string>) => Effect.promise(() => tidings("node", environment, ...args))
        const said = (...args: ReadonlyArray<string>) =>
          Effect.map(asked(...args), ({ code, stderr, stdout }) => {
            assert.deepStrictEqual([code, stderr], [0, ""], stdout)
            return stdout
          })

        const before = yield* said("keys")
        const line =
          /^(([pd]k_(?:prod|test)_)[0-9a-f]{12}) {2}(production|test), (published|draft) +made 20\d\d-\S+Z$/gm
        assert.deepStrictEqual(
          [...before.matchAll(line)].map(([, , prefix, environment, state]) => [prefix, environment, state]),
          [
            ["pk_prod_", "production", "published"],
            ["dk_prod_", "production", "draft"],
            ["pk_test_", "test", "published"],
            ["dk_test_", "test", "draft"]
          ]
        )
        const name = before.split(" ")[0] ?? ""

        // The same name is the actor's in the audit.
        yield* Effect.promise(() => call(port, leaked, "POST", "/brands", { id: "b", name: "Acme" }))
        assert.include((yield* Effect.promise(() => call(port, leaked, "GET", "/audit-events"))).text, `"id":"${name}"`)

        const made = yield* said("new-key", "pk_prod")
        const [fresh = ""] = /pk_prod_[\w-]{32,}/.exec(made) ?? []
        assert.strictEqual((yield* Effect.promise(() => call(port, fresh, "GET", "/messages"))).status, 200)

        assert.strictEqual(
          yield* said("end-key", leaked),
          `${name} opens nothing any more; nodes that run may take it for a minute more\n`
        )
        const after = yield* said("keys")
        assert.deepStrictEqual(
          after.split("\n").filter((line) => !before.includes(line)).map((line) => line.slice(0, 8)),
          ["pk_prod_"]
        )
        assert.notInclude(after, name)
        const deeds = (yield* Effect.promise(() => call(port, fresh, "GET", "/audit-events"))).text
        assert.include(deeds, `"type":"api-key.deleted","source":"cli","target":"api-keys/${name}"`)

        const again = yield* asked("end-key", name)
        assert.deepStrictEqual([again.code, again.stdout, again.stderr], [
          1,
          "",
          "No API key has that name: see them with tidings keys\n"
        ])
        const strange = yield* asked("new-key", "sk_live")
        assert.notStrictEqual(strange.code, 0)
        assert.notInclude(strange.stdout + strange.stderr, secret)
      }),
    120_000
  )
})
