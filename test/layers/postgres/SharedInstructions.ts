import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as ExpansionFixture from "#test/contracts/ExpansionFixture.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Copies = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ instructions: Schema.NullOr(Schema.String) })))

/** What a request to many says has one row, over any Postgres. */
export const sharedInstructions = <E>(
  name: string,
  stores: Layer.Layer<Expansions | Journal | MessageLog | SqlClient.SqlClient, E>
) =>
  layer(stores)(`What a request to many says: ${name}`, (it) => {
    const expanded = Effect.gen(function*() {
      const given = yield* ExpansionFixture.accepted()
      const { members = [] } = ExpansionFixture.pageOf(given, ["a", "b"]) ?? assert.fail("a page")
      const here = members.map((member) => ({ ...member, shard: given.place.shard }))
      const page = { ...(ExpansionFixture.pageOf(given, []) ?? assert.fail("a page")), members: here }
      yield* (yield* Expansions).advance(ExpansionFixture.step(given, { page }))
      return { ...given, ids: here.map(({ id }) => id) }
    })

    it.effect("is stored once, and is what each of its messages says, in hand and in the log", () =>
      Effect.gen(function*() {
        const { ids, place } = yield* expanded
        const sql = yield* SqlClient.SqlClient
        const copies = yield* Copies(yield* sql`select instructions from messages where scope = ${place.scope}`)
        assert.deepStrictEqual(copies, [{ instructions: null }, { instructions: null }])
        const text = JSON.stringify(ExpansionFixture.instructions)
        const { rows } = yield* (yield* Journal).due(Fixture.window(place, { lane: "bulk" }))
        assert.deepStrictEqual(rows.map(({ id }) => id).toSorted(), ids.toSorted())
        for (const row of rows) {
          assert.strictEqual(row.instructions, text)
        }
        for (const id of ids) {
          const { instructions } = yield* (yield* MessageLog).original(place.scope, id)
          assert.deepStrictEqual(instructions, ExpansionFixture.instructions)
        }
      }))

    it.effect("counts for each message against the bytes of a look", () =>
      Effect.gen(function*() {
        const { place } = yield* expanded
        const look = Fixture.window(place, {
          lane: "bulk",
          bytes: JSON.stringify(ExpansionFixture.instructions).length
        })
        const { complete, rows } = yield* (yield* Journal).due(look)
        assert.deepStrictEqual([rows.length, complete], [1, false])
      }))

    it.effect("a message of before, which has a copy, says what that says", () =>
      Effect.gen(function*() {
        const { ids: [one, two], place } = yield* expanded
        const [had, has] = [one ?? assert.fail("a message"), two ?? assert.fail("a message")]
        const sql = yield* SqlClient.SqlClient
        yield* sql`update messages set instructions = '{"template":"before"}' where id = ${had}`
        const log = yield* MessageLog
        assert.deepStrictEqual((yield* log.original(place.scope, had)).instructions, { template: "before" })
        assert.deepStrictEqual((yield* log.original(place.scope, has)).instructions, ExpansionFixture.instructions)
      }))
  })
