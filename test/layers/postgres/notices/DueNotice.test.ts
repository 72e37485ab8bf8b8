import * as DueNotice from "#layers/postgres/notices/DueNotice.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Work = Schema.Struct({
  shard: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })),
  kind: Schema.Literals(["transactional", "bulk", "expansions"])
})

describe("A notice of what is due", () => {
  it.prop("names each shard and each kind once, also for a node that knows of no kinds", {
    work: Schema.NonEmptyArray(Work)
  }, ({ work }) => {
    const shards = new Set(work.map(({ shard }) => shard))
    const notice = DueNotice.of(work) ?? ""
    const read = DueNotice.read(notice)
    assert.sameMembers([...read.shards], [...shards])
    assert.sameMembers([...read.kinds ?? []], [...new Set(work.map(({ kind }) => kind))])
    const before = notice.split(",").map(Number).filter((shard) => !Number.isNaN(shard))
    assert.sameMembers(before, [...shards])
  })

  it("is not sent where nothing is to be read", () => {
    assert.isUndefined(DueNotice.of([]))
  })

  it.for(["3", "3,17", "3,later", "3,bulk,later"])("tells of everything if it is %s", (notice) => {
    assert.isUndefined(DueNotice.read(notice).kinds)
    assert.include(DueNotice.read(notice).shards, 3)
  })
})
