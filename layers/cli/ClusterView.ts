import { counted } from "#layers/cli/Counted.ts"
import type { Cluster, ClusterNode } from "#schemas/api/Cluster.ts"

/** Numbers in ascending order, runs folded: `0-3, 7`. */
export const folded = (numbers: ReadonlyArray<number>): string => {
  const runs: Array<[first: number, last: number]> = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] + 1 === number) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([first, last]) => first === last ? String(first) : `${first}-${last}`).join(", ")
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const line = ({ address, alive, shards }: ClusterNode): string => {
  const due = shards.reduce((sum, shard) => sum + shard.due, 0)
  const owned = shards.length === 0
    ? "no shards"
    : `${counted(shards.length, "shard")} (${folded(shards.map(({ shard }) => shard))})`
  return `  ${alive ? "up  " : "DOWN"}  ${address}  ${owned}  ${due} due`
}

/** A line per node, then the shards that no node serves, then how long the oldest due message has waited. */
export const view = (cluster: Cluster): string =>
  [
    `${counted(cluster.nodes.length, "node")}, ${counted(cluster.shards, "shard")}`,
    ...cluster.nodes.map(line),
    ...(cluster.unowned.length === 0
      ? []
      : [`  nobody serves ${cluster.unowned.length === 1 ? "shard" : "shards"} ${folded(cluster.unowned)}`]),
    `${counted(cluster.due, "message")} due, ${seconds(cluster.lag)} behind`,
    ...(cluster.oldest_due === null
      ? []
      : [`oldest due message ${cluster.oldest_due.id ?? "of another environment"} (shard ${cluster.oldest_due.shard})`])
  ].join("\n")
