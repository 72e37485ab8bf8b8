import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import * as Places from "#test/support/Places.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Client } from "pg"
import { setTimeout as sleep } from "node:timers/promises"

describe("a first start", () => {
  it.live(
    "takes no request before it has its keys: nobody is told 401 for a key that is about to be",
    () =>
      Effect.gen(function*() {
        const place = yield* Places.make("Postgres")
        yield* Effect.void.pipe(Effect.provide(Migrations.layer.pipe(Layer.provide(place.store))))
        const statuses = yield* Effect.promise(async () => {
          const client = new Client({ connectionString: place.databaseUrl })
          await client.connect()
          await client.query("begin; lock table api_keys in row exclusive mode")
          const server = CrashProcess.start(place)
          const caller = Caller.make(place.port)
          const waits = "select 1 from pg_locks where relation = 'api_keys'::regclass and not granted"
          while ((await client.query(waits)).rowCount === 0) await sleep(20)
          // All that does not need the keys has time to start.
          await sleep(1_000)
          const early = await Promise.race([
            caller.call("GET", "/messages"),
            sleep(500).then(() => undefined)
          ])
          await client.query("commit")
          await client.end()
          await server.ready()
          const later = await caller.call("GET", "/messages")
          caller.close()
          await server.kill()
          return [early?.status, later?.status]
        })
        assert.deepStrictEqual(statuses, [undefined, 200])
      }),
    60_000
  )
})
