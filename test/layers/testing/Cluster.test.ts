import * as Chances from "#layers/testing/Chance.ts"
import * as Clusters from "#layers/testing/Cluster.ts"
import type { Incident } from "#layers/testing/History.ts"
import * as Loops from "#layers/testing/Loop.ts"
import { assert, describe, it } from "@effect/vitest"

const shards = [0, 1]

/** Nodes that come one after the other, are robbed, and take their time to hand a shard over; then nothing happens any more. */
const live = (seed: number, moves: number) => {
  const chance = Chances.make(seed)
  const loop = Loops.make(chance, 0)
  const incidents: Array<Incident> = []
  const cluster = Clusters.make<Clusters.Member>({
    loop,
    chance,
    incidents,
    shardCount: shards.length,
    moves: () => moves
  })
  const members = ["a", "b", "c"].map((name) => {
    const owned = new Set<number>()
    const disown = (shard: number, done: () => void) => {
      if (!owned.delete(shard)) return done()
      loop.after(chance.int(0, 15_000), done)
    }
    return { process: loop.process(name), owned, own: (shard: number) => void owned.add(shard), disown }
  })
  for (const member of members) loop.after(chance.int(0, 15_000), () => cluster.join(member))
  for (let n = 0; n < 6; n++) loop.after(chance.int(0, 30_000), () => cluster.rob(chance.pick([0, 1])))
  loop.run(() => false)
  const places = shards.map((shard) =>
    members.map((member) => [member.process.name, cluster.holds(member, shard), member.owned.has(shard)])
  )
  return { places, moved: incidents.length }
}

describe("The simulated cluster", () => {
  it("who holds a shard's lock in the end runs it, and nobody else does", () => {
    const moved = [0, 0.7].map((moves) => {
      let count = 0
      for (let seed = 1; seed <= 500; seed++) {
        const { moved, places } = live(seed, moves)
        count += moved
        for (const shard of places) {
          assert.strictEqual(shard.filter(([, holds]) => holds).length, 1, `seed ${seed}`)
          for (const [name, holds, owns] of shard) assert.strictEqual(owns, holds, `seed ${seed}: ${name}`)
        }
      }
      return count
    })
    assert.isAbove(moved[1] ?? 0, 4 * (moved[0] ?? 0))
  })
})
