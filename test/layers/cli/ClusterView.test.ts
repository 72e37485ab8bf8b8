import * as ClusterView from "#layers/cli/ClusterView.ts"
import type { Cluster } from "#schemas/api/Cluster.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const shard = (number: number, due = 0) => ({ shard: number, epoch: 1, since: 0, due })

const now = 1_767_600_000_000

const quiet: Cluster = {
  shards: 2,
  unowned: [],
  nodes: [{ address: "127.0.0.1:23000", alive: true, last_seen: null, shards: [shard(0), shard(1)] }],
  due: 0,
  lag: 0,
  oldest_due: null
}

const unfolded = (text: string): ReadonlyArray<number> =>
  text.split(", ").flatMap((run) => {
    const [first = 0, last = first] = run.split("-").map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })

describe("ClusterView", () => {
  it("shows who owns what, how far behind each is, and what nobody serves", () => {
    const behind: Cluster = {
      shards: 64,
      unowned: [9, 7],
      nodes: [
        {
          address: "10.0.0.1:20001",
          alive: true,
          last_seen: 5,
          shards: [shard(3, 2), shard(0, 5), shard(1), shard(2)]
        },
        { address: "10.0.0.2:20001", alive: false, last_seen: now - 9 * 86_400_000, shards: [shard(5)] },
        { address: "10.0.0.3:20001", alive: true, last_seen: 5, shards: [] },
        { address: "10.0.0.4:20001", alive: false, last_seen: now - 90_000, shards: [] },
        { address: "127.0.0.1:20001", alive: false, last_seen: now - 2_500, shards: [] }
      ],
      due: 7,
      lag: 1_250,
      oldest_due: { id: "1-6553f100-0123456789abcdef01234567", shard: 3, since: 1 }
    }
    assert.deepStrictEqual(ClusterView.view(behind, now).split("\n"), [
      "5 nodes, 64 shards",
      "  up    10.0.0.1:20001  4 shards (0-3)  7 due",
      "  DOWN  10.0.0.2:20001  1 shard (5)  0 due  last seen 9 days ago",
      "  up    10.0.0.3:20001  no shards  0 due",
      "  DOWN  10.0.0.4:20001  no shards  0 due  last seen 1 minute ago",
      "  DOWN  127.0.0.1:20001  no shards  0 due  last seen 2 seconds ago, and the others do not reach it there",
      "  nobody serves shards 7, 9",
      "7 messages due, 1.3 s behind",
      "oldest due message 1-6553f100-0123456789abcdef01234567 (shard 3)"
    ])
  })

  it("says no more than it must of one at rest", () => {
    assert.deepStrictEqual(ClusterView.view(quiet, now).split("\n"), [
      "1 node, 2 shards",
      "  up    127.0.0.1:23000  2 shards (0-1)  0 due",
      "0 messages due, 0.0 s behind"
    ])
    assert.include(ClusterView.view({ ...quiet, unowned: [4] }, now), "\n  nobody serves shard 4\n")
  })

  it("only counts the nodes without shards that were silent for over an hour", () => {
    const silent = (minutes: number, shards: ReadonlyArray<ReturnType<typeof shard>> = []) => ({
      address: `after ${minutes}`,
      alive: false,
      last_seen: now - minutes * 60_000,
      shards
    })
    const nodes = [...quiet.nodes, silent(59), silent(61), silent(9_000), silent(61, [shard(1)])]
    assert.deepStrictEqual(ClusterView.view({ ...quiet, nodes }, now).split("\n").slice(0, -1), [
      "3 nodes, 2 shards",
      "  up    127.0.0.1:23000  2 shards (0-1)  0 due",
      "  DOWN  after 59  no shards  0 due  last seen 59 minutes ago",
      "  DOWN  after 61  1 shard (1)  0 due  last seen 1 hour ago",
      "  2 nodes more, not seen for over an hour"
    ])
  })

  it("goes by the server's time, however wrong this machine's clock is", () => {
    const nodes = [...quiet.nodes, { address: "10.0.0.2:20001", alive: false, last_seen: now - 90_000, shards: [] }]
    for (const off of [-600_000, 0, 86_400_000]) {
      assert.include(
        ClusterView.view({ ...quiet, at: now, nodes }, now + off),
        "\n  DOWN  10.0.0.2:20001  no shards  0 due  last seen 1 minute ago\n"
      )
    }
  })

  it.prop(
    "folds each run of numbers into one, and leaves out none",
    {
      numbers: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))).check(
        Schema.isMinLength(1)
      )
    },
    ({ numbers }) => {
      const owned = [...new Set(numbers)]
      const text = ClusterView.folded(owned)
      assert.deepStrictEqual(unfolded(text), owned.toSorted((a, b) => a - b))
      const runs = owned.filter((number) => !owned.includes(number - 1))
      assert.lengthOf(text.split(", "), runs.length)
    }
  )
})
