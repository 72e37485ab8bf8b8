import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Ports from "#test/support/Ports.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"

/** A start that fails says why in one line, which names what to change. */
const saidBy = Effect.fnUntraced(function*(place: Places.Place, more: Readonly<Record<string, string>>) {
  const server = CrashProcess.start(place, more)
  const { code, output } = yield* Effect.promise(() => server.ended).pipe(
    Effect.onInterrupt(() => Effect.promise(server.kill))
  )
  assert.strictEqual(code, 1)
  const fatal = output.split("\n").filter((line) => line.includes("\"FATAL\""))
  assert.lengthOf(fatal, 1, output)
  const line: { readonly message: string } = JSON.parse(fatal[0] ?? "")
  return line.message
})

/** The environment of a start that chooses its own keys. */
const unchosen = { TIDINGS_BOOTSTRAP_SECRET: "" }

const taken = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const holder = createServer().listen(port)
      await once(holder, "listening")
      return holder
    }),
    (holder) => Effect.sync(() => holder.close())
  )

describe("a start that fails says what to change", () => {
  for (const runtime of ["node", "deno"] as const) {
    it.live(`when its port is another process's, on ${runtime}`, () =>
      Effect.gen(function*() {
        const place = yield* Places.make("embedded", { runtime })
        yield* taken(place.port)
        assert.strictEqual(
          yield* saidBy(place, {}),
          `cannot listen on port ${place.port}: another process listens there; free it or set PORT`
        )
      }), 120_000)

    it.live(
      `and has shown the keys that it made, which no later start shows, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const place = yield* Places.make("embedded", { runtime })
          const starting = Effect.promise(() => CrashProcess.start(place, unchosen).ended)
          const { output } = yield* Effect.scoped(Effect.andThen(taken(place.port), starting))
          assert.include(output, "cannot listen")
          const [key = ""] = /pk_prod_[\w-]{32,}/.exec(output) ?? []
          assert.notStrictEqual(key, "", output)
          const server = CrashProcess.start(place, { TIDINGS_BOOTSTRAP_SECRET: "x".repeat(32) })
          yield* Effect.promise(() => server.ready())
          const answer = yield* Effect.promise(() =>
            fetch(`http://127.0.0.1:${place.port}/messages`, { headers: { authorization: `Bearer ${key}` } })
          )
          assert.strictEqual(answer.status, 200)
          yield* Effect.promise(server.kill)
          const { output: later } = yield* Effect.promise(() => server.ended)
          assert.notInclude(later, "pk_prod_")
          assert.include(later, "TIDINGS_BOOTSTRAP_SECRET makes no keys here")
        }),
      120_000
    )

    it.live(`when its cluster port is another process's, on ${runtime}`, () =>
      Effect.gen(function*() {
        const place = yield* Places.make("Postgres", { runtime })
        yield* taken(place.clusterPort)
        assert.strictEqual(
          yield* saidBy(place, {}),
          `cannot listen on 127.0.0.1:${place.clusterPort}: another process listens there; ` +
            "free it or set TIDINGS_CLUSTER_HOST or TIDINGS_CLUSTER_PORT"
        )
      }), 120_000)

    it.live(`when it was given no PORT of its own beside another node, on ${runtime}`, () =>
      Effect.gen(function*() {
        // What follows from it is then no port that the system gives to outgoing connections either.
        const port = yield* Effect.promise(() => Ports.free(0, 12_000))
        const place = { ...yield* Places.make("Postgres", { runtime }), port }
        const follows = 20_000 + port
        yield* taken(follows)
        assert.strictEqual(
          yield* saidBy(place, { TIDINGS_CLUSTER_PORT: "" }),
          `cannot listen on 127.0.0.1:${follows}: another process listens there; free it or set ` +
            "a PORT of this node's own, from which that port follows (or TIDINGS_CLUSTER_PORT, TIDINGS_CLUSTER_HOST)"
        )
      }), 120_000)

    it.live(
      `and of a variable that is none of its settings, and is perhaps a misspelt one, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const place = yield* Places.make("embedded", { runtime })
          yield* taken(place.port)
          const more = { TIDINGS_WORKER: "2", OTEL_PROPAGATORS: "b3", TIDINGS_API_KEY: "k", TIDINGS_URL: "u" }
          const { output } = yield* Effect.promise(() => CrashProcess.start(place, more).ended)
          const warnings = output.split("\n").filter((line) => line.includes("\"WARN\""))
          assert.lengthOf(warnings, 2, output)
          assert.include(warnings[0], "TIDINGS_WORKER is no setting of Tidings and changes nothing")
          assert.include(warnings[1], "OTEL_PROPAGATORS is no setting of Tidings and changes nothing")
        }),
      120_000
    )

    it.live(
      `when its data directory cannot be made, and does not try for ever, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const place = yield* Places.make("embedded", { runtime })
          const file = `${place.directory}/file`
          yield* Effect.sync(() => writeFileSync(file, ""))
          const advice = /(ENOENT|ENOTDIR|Not a directory).*; make it writable, or set TIDINGS_DATA_DIR$/
          for (const directory of [`${file}/below`, "/proc/nope"]) {
            const without = { TIDINGS_DATA_DIR: directory, TIDINGS_SECRET_KEY: "" }
            const keyless = yield* saidBy(place, without)
            assert.include(keyless, `cannot keep the secret key in data directory ${directory}: `)
            assert.match(keyless, advice)
            const keyed = yield* saidBy(place, { TIDINGS_DATA_DIR: directory })
            assert.include(keyed, `data directory ${directory} cannot be used: `)
            assert.match(keyed, advice)
          }
        }),
      120_000
    )

    it.live(
      `when its database refuses it or is not there, without the URL's password, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const place = yield* Places.make("Postgres", { runtime })
          const url = new URL(place.databaseUrl ?? "")
          url.password = "hunter2"
          url.pathname = "/no_such_database"
          assert.strictEqual(
            yield* saidBy(place, { DATABASE_URL: url.href }),
            "cannot connect to the database of DATABASE_URL: database \"no_such_database\" does not exist"
          )
          url.port = "1"
          assert.strictEqual(
            yield* saidBy(place, { DATABASE_URL: url.href }),
            `cannot connect to the database of DATABASE_URL: connect ECONNREFUSED ${url.hostname}:1`
          )
        }),
      120_000
    )

    it.live(
      `when its database does not let it set up, with what the database said, on ${runtime}`,
      () =>
        Effect.gen(function*() {
          const place = yield* Places.make("Postgres", { runtime })
          const ask = (sql: string) =>
            Effect.provide(Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe(sql)), place.store)
          yield* ask("create table messages (another text)")
          assert.strictEqual(
            yield* saidBy(place, {}),
            "the database did not do what a start needs: relation \"messages\" already exists"
          )
          yield* ask("drop table messages")
          const name = new URL(place.databaseUrl ?? "").pathname.slice(1)
          yield* ask(`alter database ${name} set default_transaction_read_only = on`)
          assert.match(
            yield* saidBy(place, {}),
            /^the database did not do what a start needs: cannot execute [A-Z ]+ in a read-only transaction; its transactions begin read-only: set /
          )
        }),
      120_000
    )
  }
})
