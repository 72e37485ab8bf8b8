/** A process of its own for the embedded database: `Child.ts <mode> <directory> <durability>`, on Node and on Deno. */
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Queue } from "effect"
import { appendFileSync, writeSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"

const [mode = "", dataDir = "", durability = ""] = process.argv.slice(2)

const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const modes: Record<string, Effect.Effect<unknown, unknown, PgClient.PgClient | Embedded.EmbeddedStore>> = {
  /** Owns the directory until it is killed. */
  hold: Effect.andThen(say("ready"), Effect.never),

  /** Commits rows from four connections, noting each in a file once it is acknowledged, until it is killed. */
  write: Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    yield* sql`CREATE TABLE IF NOT EXISTS acked (id text PRIMARY KEY)`
    yield* say("ready")
    let acknowledged = 0
    const one = (lane: number) =>
      Effect.gen(function*() {
        const id = crypto.randomUUID()
        const insert = sql`INSERT INTO acked VALUES (${id})`
        yield* lane % 2 === 0 ? insert : sql.withTransaction(Effect.andThen(insert, sql`SELECT 1`))
        yield* Effect.sync(() => appendFileSync(join(dataDir, "acks"), `${id}\n`))
        if (++acknowledged === 60) yield* say("enough")
      })
    yield* Effect.forEach([0, 1, 2, 3], (lane) => Effect.forever(one(lane)), { concurrency: "unbounded" })
  }),

  /** Runs long statements on four connections, one after the other, and tells who writes to its port how many it has run. */
  busy: Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    let run = 0
    const server = createServer((socket) => socket.on("data", () => socket.end(`${run}`)))
    const statement = Effect.tap(sql`SELECT count(*) FROM generate_series(1, 200000)`, () => Effect.sync(() => run++))
    yield* Effect.forEach([0, 1, 2, 3], () => Effect.forkChild(Effect.forever(statement)))
    const address = yield* Effect.callback<ReturnType<typeof server.address>>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server.address())))
    })
    yield* say(typeof address === "object" ? `${address?.port}` : "no port")
    yield* Effect.never
  }),

  /** The seam itself: four connections at a time, a transaction, a notification. */
  smoke: Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const store = yield* Embedded.EmbeddedStore
    yield* sql`CREATE TABLE IF NOT EXISTS smoke (i int)`
    const heard = yield* sql.listen("smoke")
    const insert = (i: number) =>
      sql.withTransaction(Effect.andThen(sql`INSERT INTO smoke VALUES (${i})`, sql`SELECT 1`))
    yield* Effect.forEach([1, 2, 3], insert, { concurrency: "unbounded" })
    yield* Effect.ignore(sql.withTransaction(Effect.andThen(insert(4), sql`SELECT 1 / 0`)))
    yield* sql.notify("smoke", "hello")
    const { payload } = yield* Queue.take(heard)
    const rows = yield* sql`SELECT i FROM smoke ORDER BY i`
    yield* say(JSON.stringify({ payload, rows: rows.map((row) => row["i"]), synced: (yield* store.fsyncs) >= 3 }))
  }).pipe(Effect.scoped)
}

const started = performance.now()

await Effect.runPromise(
  (modes[mode] ?? Effect.die(`no mode ${mode}`)).pipe(
    Effect.provide(Embedded.layer({ dataDir, durability: durability === "process" ? "process" : "disk" })),
    Effect.catch((error) =>
      Effect.andThen(
        say(`${Math.round(performance.now() - started)} ms: ${String(error)}`),
        Effect.sync(() => process.exitCode = 3)
      )
    )
  )
)
