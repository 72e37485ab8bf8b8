import * as Turns from "#src/delivery/shards/Turns.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

/** Ready rows in the order of acceptance, each of a recipient and in a turn. */
const Rows = Schema.Array(Schema.Struct({
  turn: Schema.Literals(["a", "b", "c"]),
  recipient: Schema.Literals(["ada", "bob"])
})).check(Schema.isMaxLength(24))

const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))

describe("Turns: a look that reads each turn's share", () => {
  it.effect.prop(
    "P3: no row passes an older one of its recipient that was not read; what a complete look leaves is nothing",
    { rows: Rows, limit: Limit, most: Limit, unread: Schema.Literals(["a", "none"]) },
    ({ limit, most, rows, unread }) =>
      Effect.sync(() => {
        const ready = rows.map((row, n) => ({ ...row, seq: n + 1 }))
        const turns = [...new Set(ready.map(({ turn }) => turn))].filter((turn) => turn !== unread)
        const share = Turns.share(limit, turns)
        const mine = (turn: string) => ready.filter((row) => row.turn === turn)
        const read = turns.flatMap((turn) => mine(turn).slice(0, share)).toSorted((a, b) => a.seq - b.seq)
        const short = Turns.atShare(read, share)
        const { complete, doubtful, dropped } = Turns.cut({ rows: read, short, allSeen: unread === "none", most })
        const known = new Set(Turns.without(read, dropped))
        const passes = (row: typeof read[number]) =>
          ready.some((older) => older.seq < row.seq && older.recipient === row.recipient && !known.has(older))
        const kept = Turns.without(read, [...dropped, ...doubtful.filter(passes)])
        assert.deepStrictEqual(kept.filter(passes), [])
        if (complete) assert.deepStrictEqual(turns.flatMap((turn) => mine(turn).filter((row) => !known.has(row))), [])
        // Of each turn at least as many as of another are asked about, if it has them.
        assert.isAtMost(doubtful.length, most)
        const asked = (turn: string) => doubtful.filter((row) => row.turn === turn).length
        for (const { turn } of dropped) assert.isAtLeast(asked(turn) + 1, Math.max(...turns.map(asked)))
        // Room that is shared out is used, and each turn has some of it.
        assert.isAtLeast(share * Math.max(1, turns.length), limit)
      })
  )

  it("more rows than can be asked about are left for another look, which is told", () => {
    const rows = Array.from({ length: 250 }, (_, n) => ({ seq: n + 1, turn: n % 2 === 0 ? "a" : "b" }))
    const look = (short: ReadonlyArray<string>, allSeen: boolean) => Turns.cut({ rows, short, allSeen })
    const unseen = look([], false)
    assert.deepStrictEqual([unseen.doubtful.length, unseen.dropped.length, unseen.complete], [100, 150, false])
    assert.deepStrictEqual([...unseen.doubtful, ...unseen.dropped], rows)
    const backlog = rows.map(({ seq }) => ({ seq, turn: seq > 248 ? `one ${seq}` : "many" }))
    const { doubtful } = Turns.cut({ rows: backlog, short: [], allSeen: false })
    assert.deepStrictEqual(doubtful, [...backlog.slice(0, 98), ...backlog.slice(248)])
    assert.deepStrictEqual(look([], true), { doubtful: [], dropped: [], complete: true })
    assert.deepStrictEqual(look(["a"], true), { doubtful: rows.slice(249), dropped: [], complete: false })
    // A turn of which nothing was read may have rows older than all.
    assert.strictEqual(look(["c"], true).doubtful.length, 100)
  })
})
