import type { Chance } from "#layers/testing/Chance.ts"
import type { Incident } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Node } from "#layers/testing/Node.ts"

export type Cluster = ReturnType<typeof make<Node>>

/** The part of a node that placement needs. */
export type Member = Pick<Node, "process" | "own" | "disown">

/** Ms after which a frozen node loses its locks. Those of a dead node are free then at the latest (`ManyNodes.ts`). */
const lockExpiration = 8_000
const lockRefresh = 2_000

/** A shard that moves on does so within this of its grant, in ms: also while its new owner still takes its epoch. */
const soon = 500

/**
 * Decides which node runs which shard, as advisory locks do. A node that dies, freezes or is robbed of a lock is
 * replaced by another, and may learn of it late.
 */
export const make = <M extends Member>(options: {
  readonly loop: Loop
  readonly chance: Chance
  readonly shardCount: number
  readonly incidents: Array<Incident>
  /** The probability that a shard which was given to a node is handed over to another one at once. */
  readonly moves: () => number
}) => {
  const { chance, incidents, loop, moves, shardCount } = options
  const members = new Set<M>()
  /** Each grant is an object of its own, to tell it from a later grant of the same shard to the same node. */
  const holders = new Map<number, { readonly node: M; isMoving: boolean }>()
  const shards = Array.from({ length: shardCount }, (_, shard) => shard)
  const holds = (node: M, shard: number): boolean => holders.get(shard)?.node === node

  const grant = (shard: number, except?: M): void => {
    if (holders.has(shard)) return
    const [first, ...rest] = [...members].filter((node) =>
      node.process.isAlive() && !node.process.isFrozen() && node !== except
    )
    if (first === undefined) return loop.after(500, () => grant(shard))
    const node = chance.pick([first, ...rest])
    holders.set(shard, { node, isMoving: false })
    loop.trace(`grant ${shard} ${node.process.name}`)
    node.own(shard)
    if (moves() > 0 && chance.happens(moves())) loop.after(chance.int(0, soon), () => move(shard, node))
  }

  /** The holder hands the shard over in order, and goes on until it has. */
  const move = (shard: number, holder: M): void => {
    const granted = holders.get(shard)
    // Told a second time, a node would answer at once, though it has not let the shard go.
    if (granted === undefined || granted.node !== holder || granted.isMoving) return
    granted.isMoving = true
    const moved: Incident = {
      kind: "move",
      node: holder.process.name,
      at: loop.now(),
      until: Infinity,
      drawn: undefined,
      shard
    }
    incidents.push(moved)
    holder.disown(shard, () => {
      moved.until = loop.now()
      // The shard was granted anew while its owner drained: that grant stands.
      if (holders.get(shard) !== granted) return
      holders.delete(shard)
      grant(shard, holder)
    })
  }

  const held = (node: M): ReadonlyArray<number> => shards.filter((shard) => holds(node, shard))

  /** Gives the lock to another node; the old owner runs on until it next refreshes its lock. */
  const rob = (shard: number): void => {
    const robbed = holders.get(shard)?.node
    if (robbed === undefined) return
    holders.delete(shard)
    grant(shard, robbed)
    loop.after(chance.int(0, lockRefresh), () => {
      // A frozen node learns of it when it is thawed: until then the task waits in its queue.
      if (!holds(robbed, shard)) robbed.disown(shard, () => undefined)
    })
  }

  return {
    members: (): ReadonlyArray<M> => [...members],
    holds,
    held,
    rob,
    join: (node: M) => {
      members.add(node)
      loop.after(chance.int(0, 1_500), () => {
        for (const shard of shards) grant(shard)
        if (held(node).length > 0 || !members.has(node)) return
        // No shard was free: it takes some from nodes that have at least two.
        for (const shard of shards) {
          const holder = holders.get(shard)?.node
          if (holder === undefined || holder === node || held(holder).length < 2) continue
          if (chance.happens(0.5)) move(shard, holder)
        }
      })
    },
    /** Its shards go to other nodes, after a while: at the latest when its locks expire. */
    crashed: (node: M) => {
      members.delete(node)
      loop.after(chance.int(1_000, lockExpiration), () => {
        for (const shard of held(node)) {
          holders.delete(shard)
          grant(shard)
        }
      })
    },
    froze: (node: M) => {
      loop.after(lockExpiration, () => {
        if (node.process.isFrozen()) { for (const shard of held(node)) rob(shard) }
      })
    },
    left: (node: M) => {
      members.delete(node)
      for (const shard of held(node)) {
        holders.delete(shard)
        grant(shard)
      }
    }
  }
}
