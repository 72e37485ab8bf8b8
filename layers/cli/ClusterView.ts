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

const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1_000]] as const

/** A span of ms in its largest unit, rounded down: `9 days`. */
const age = (ms: number): string => {
  const [noun, size] = units.find(([, size]) => ms >= size) ?? ["second", 1_000]
  return counted(Math.max(0, Math.floor(ms / size)), noun)
}

/** One that was heard of within this, in ms, lives: if it is down all the same, the others find nobody at its address. */
const shortSilence = 8_000

/** A node that serves nothing and was silent for longer is one that was replaced: it will not come back. */
const longestSilence = 3_600_000

const isGone = (now: number) => ({ alive, last_seen, shards }: ClusterNode): boolean =>
  !alive && shards.length === 0 && last_seen !== null && now - last_seen > longestSilence

const line = (now: number) => ({ address, alive, last_seen, shards }: ClusterNode): string => {
  const due = shards.reduce((sum, shard) => sum + shard.due, 0)
  const owned = shards.length === 0
    ? "no shards"
    : `${counted(shards.length, "shard")} (${folded(shards.map(({ shard }) => shard))})`
  const unseen = alive || last_seen === null ? undefined : now - last_seen
  const seen = unseen === undefined ? "" : `  last seen ${age(unseen)} ago`
  const unreached = unseen !== undefined && unseen < shortSilence ? ", and the others do not reach it there" : ""
  return `  ${alive ? "up  " : "DOWN"}  ${address}  ${owned}  ${due} due${seen}${unreached}`
}

/**
 * A line per node, then the shards that no node serves, then how long the oldest due message has waited. Nodes that are
 * gone are only counted. `clock`: this machine's, in epoch ms, for a server that does not tell its own time.
 */
export const view = (cluster: Cluster, clock: number): string => {
  const now = cluster.at ?? clock
  const gone = cluster.nodes.filter(isGone(now))
  const nodes = cluster.nodes.filter((node) => !gone.includes(node))
  return [
    `${counted(nodes.length, "node")}, ${counted(cluster.shards, "shard")}`,
    ...nodes.map(line(now)),
    ...(gone.length === 0 ? [] : [`  ${counted(gone.length, "node")} more, not seen for over an hour`]),
    ...(cluster.unowned.length === 0
      ? []
      : [`  nobody serves ${cluster.unowned.length === 1 ? "shard" : "shards"} ${folded(cluster.unowned)}`]),
    `${counted(cluster.due, "message")} due, ${seconds(cluster.lag)} behind`,
    ...(cluster.oldest_due === null
      ? []
      : [`oldest due message ${cluster.oldest_due.id ?? "of another environment"} (shard ${cluster.oldest_due.shard})`])
  ].join("\n")
}
