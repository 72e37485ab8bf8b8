import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { setTimeout as sleep } from "node:timers/promises"

/** What is asked of the database every ten seconds is asked within this time, and more than once in an outage. */
const tenSeconds = 11_000
const outage = 2 * tenSeconds + 3_000

const Line = Schema.fromJsonString(
  Schema.Struct({
    message: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]),
    level: Schema.String,
    timestamp: Schema.String
  })
)
const decode = Schema.decodeUnknownSync(Line)

/** What a log of JSON lines says: the sentence, without what goes with it, and when. */
const said = (output: string) =>
  output.split("\n").filter((line) => line.startsWith("{")).map((line) => {
    const { level, message, timestamp } = decode(line)
    return { level, sentence: String(Array.isArray(message) ? message[0] : message), at: Date.parse(timestamp) }
  })

const database = Effect.acquireRelease(
  Effect.promise(() => PrivatePostgres.make()),
  ({ remove }) => Effect.promise(remove)
)

describe.skipIf(PrivatePostgres.programs() === undefined)("the log of an outage of the database", () => {
  it.live(
    "tells what goes wrong once, however long it lasts, and that it goes on only when it does",
    () =>
      Effect.gen(function*() {
        const postgres = yield* database
        const place = yield* Places.make("Postgres", { server: postgres.url })
        const server = CrashProcess.start(place, { TIDINGS_WORKERS: "0" })
        yield* Effect.addFinalizer(() => Effect.promise(server.kill))
        const back = yield* Effect.promise(async () => {
          await server.ready()
          await postgres.stop("immediate")
          await sleep(outage)
          const back = Date.now()
          await postgres.start()
          await server.ready()
          await sleep(tenSeconds)
          server.signal("SIGTERM")
          return back
        })
        const { output } = yield* Effect.promise(() => server.ended)
        const told = said(output)
        const early = told.filter(({ at, sentence }) => / again$|recovered$/.test(sentence) && at < back)
        assert.deepStrictEqual(early, [])
        const counts = Map.groupBy(
          told.filter(({ at, level }) => level !== "INFO" && at < back),
          ({ sentence }) => sentence
        )
        // Each lane has a reader of its own.
        const often = [...counts].filter(([, lines]) => lines.length > 2).map(([sentence]) => sentence)
        assert.deepStrictEqual(often, [])
        assert.isTrue(counts.has("where open messages begin is unknown"), output)
        assert.isTrue(told.some(({ sentence }) => sentence === "where open messages begin is known again"), output)
      }),
    180_000
  )
})
