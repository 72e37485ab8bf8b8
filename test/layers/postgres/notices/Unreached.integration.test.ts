import * as Migrations from "#layers/postgres/Migrations.ts"
import * as Unreached from "#layers/postgres/notices/Unreached.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

const here = "10.0.0.1:23000"
const runners = SqlRunnerStorage.migrations({ prefix: "cluster" })

describe("A node that the others do not reach", () => {
  it.effect(
    "says so once, when it was so at two looks in a row, and once that it is over",
    () =>
      Effect.gen(function*() {
        yield* Migrations.run("cluster_runner_migrations", runners)
        const sql = yield* SqlClient.SqlClient
        const lines: Array<string> = []
        const join = (address: string, healthy: boolean) =>
          sql`insert into cluster_runners (address, runner, healthy) values (${address}, '', ${healthy})
            on conflict (address) do update set healthy = excluded.healthy`
        /** So many looks, and time for the database to answer each. */
        const looks = (count: number) =>
          Effect.andThen(TestClock.adjust("5 seconds"), TestClock.withLive(Effect.sleep("300 millis"))).pipe(
            Effect.repeat({ times: count - 1 })
          )
        yield* join(here, true)
        yield* join("10.0.0.2:23000", false)
        yield* Layer.build(
          Unreached.layer(here).pipe(
            Layer.provide(Logger.layer([
              Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
            ]))
          )
        )
        yield* looks(3)
        yield* join(here, false)
        yield* looks(1)
        yield* join(here, true)
        yield* looks(2)
        assert.deepStrictEqual(lines, [], "of another one, or of a moment, it says nothing")
        yield* join(here, false)
        yield* looks(4)
        assert.lengthOf(lines, 1)
        assert.include(lines[0], `Warn the other nodes do not reach this one at ${here}`)
        assert.include(lines[0], "TIDINGS_CLUSTER_HOST")
        yield* join(here, true)
        yield* looks(3)
        assert.deepStrictEqual(lines.slice(1), [`Info the other nodes reach this one at ${here} again`])
      }).pipe(Effect.provide(FreshDatabase.layerEmpty)),
    60_000
  )
})
