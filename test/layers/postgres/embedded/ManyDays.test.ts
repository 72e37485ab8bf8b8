import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import * as Directories from "#test/support/Directories.ts"
import * as Reads from "#test/layers/postgres/Reads.ts"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"

const day = 86_400_000

describe("An embedded database of many days", () => {
  it.live("opens those alone that a statement names, however often that is executed", () =>
    Effect.gen(function*() {
      const opened = Embedded.layer({ dataDir: yield* Directories.withDatabase, durability: "process" })
      const made = Array.makeBy(70, (n) =>
        `create table messages_${n} partition of messages for values from ('${Ids.from(n * day)}') to ('${
          Ids.from((n + 1) * day)
        }');`)
      yield* SqlClient.SqlClient.use((sql) =>
        sql.unsafe(`do $$ begin
          create table messages (id text collate "C") partition by range (id);
          ${made.join("\n")}
        end $$`).unprepared
      ).pipe(Effect.provide(opened))
      const look = SqlClient.SqlClient.use((sql) =>
        sql`select 1 from messages where id >= ${Ids.from(0)} and id < ${Ids.from(day)}`
      )
      const counts = Effect.map(Reads.days("messages", look), ({ days }) =>
        days)
      const opens = yield* Effect.replicateEffect(counts, 8).pipe(Effect.provide(opened))
      assert.deepStrictEqual(opens, Array.replicate(1, 8))
    }), 180_000)
})
