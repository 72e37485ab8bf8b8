import * as Backlogs from "#layers/postgres/Backlogs.ts"
import * as OpenDays from "#layers/postgres/days/OpenDays.ts"
import * as Room from "#layers/postgres/Room.ts"
import { Backlogs as Backlog } from "#src/reports/Backlog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"

const failure = (code: string) => new SqlError({ reason: new UnknownError({ cause: { code } }) })

describe("Room", () => {
  it.effect("there is none for 5 s after a write that found the disk full, and after no other failure", () =>
    Effect.gen(function*() {
      const { failed, isLeft } = yield* Room.Room
      for (const code of ["25006", "55P03", "ECONNRESET"]) yield* failed(failure(code))
      assert.isTrue(yield* isLeft)
      yield* failed(failure("53100"))
      assert.isFalse(yield* isLeft)
      yield* TestClock.adjust("5 seconds")
      assert.isFalse(yield* isLeft)
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isLeft)
    }).pipe(Effect.provide(Room.layer)))

  it.live("an accept that finds the disk full is heard of where health is asked for", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { hasRoom } = yield* Backlog
      const place = yield* Fixture.world
      yield* Fixture.accepted(place)
      assert.isTrue(yield* hasRoom)
      yield* sql`create function full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`
      yield* sql`create trigger full_disk before insert on messages for each row execute function full_disk()`
      yield* Effect.flip(Fixture.accepted(place))
      assert.isFalse(yield* hasRoom)
    }).pipe(
      Effect.provide(
        Backlogs.layer.pipe(
          Layer.provide(OpenDays.layer),
          Layer.provideMerge(Stores.layer),
          Layer.provideMerge(FreshDatabase.layerEmpty)
        )
      )
    ))
})
