import type { Chance } from "#layers/testing/Chance.ts"
import type { Cluster } from "#layers/testing/Cluster.ts"
import type { Incident } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Node } from "#layers/testing/Node.ts"
import { Array } from "effect"

/**
 * - `crash`: a node dies as by SIGKILL, and is started again a while later.
 * - `freeze`: a node stops as by SIGSTOP, and later goes on with what it believed before.
 * - `rob`: the lock of a shard goes to another node while its owner still works.
 * - `leave`: a node stops in order, and is started again a while later.
 * - `jump`: the wall clock of all nodes is set forward or back.
 * - `outage`: the store refuses everything for a while.
 */
export type Kind = Exclude<Incident["kind"], "lostAnswer" | "move">

export interface Faults {
  /** The kinds to draw from; one that is named twice is drawn twice as often. */
  readonly kinds: ReadonlyArray<Kind>
  /** The most faults that a world has, besides lost answers. Their number is drawn, from 0. */
  readonly atMost: number
  /** Each fault begins at a time drawn from the first `within` ms. */
  readonly within: number
  /** The probability that an answer of the store is lost after its commit. */
  readonly lostAnswers: number
}

export const none: Faults = { kinds: [], atMost: 0, within: 0, lostAnswers: 0 }

export const all: Faults = {
  kinds: ["crash", "crash", "freeze", "freeze", "rob", "leave", "jump", "outage"],
  atMost: 6,
  within: 60_000,
  lostAnswers: 0.003
}

/** Injects the faults of a world, and ends them. */
export const make = (options: {
  readonly loop: Loop
  readonly chance: Chance
  readonly cluster: Cluster
  readonly incidents: Array<Incident>
  readonly faults: Faults
  readonly restart: (name: string) => void
}) => {
  const { chance, cluster, faults, incidents, loop } = options
  let outages = 0
  let healed = false

  const note = (kind: Kind, node: string | undefined): Incident => {
    const incident: Incident = { kind, node, at: loop.now(), until: Infinity }
    incidents.push(incident)
    loop.trace(`${kind} ${node}`)
    return incident
  }
  const end = (incident: Incident) => {
    incident.until = Math.min(incident.until, loop.now())
  }
  /** How each fault that still lasts is undone: after its time, or when the world is healed. */
  const mends = new Map<Incident, () => void>()
  const mend = (incident: Incident) => {
    const how = mends.get(incident)
    mends.delete(incident)
    how?.()
  }
  const lasts = (incident: Incident, ms: number, how: () => void) => {
    mends.set(incident, () => {
      end(incident)
      how()
    })
    loop.after(ms, () => mend(incident))
  }

  const comesBack = (node: Node) => () => options.restart(node.process.name)

  const strike = (kind: Kind) => {
    const [first, ...rest] = cluster.members().filter(({ isStopping, process }) =>
      process.isAlive() && !process.isFrozen() && !(kind === "leave" && isStopping())
    )
    if (first === undefined) return
    const node = chance.pick([first, ...rest])
    switch (kind) {
      case "crash": {
        node.process.kill()
        cluster.crashed(node)
        return lasts(note(kind, node.process.name), chance.int(200, 15_000), comesBack(node))
      }
      case "freeze": {
        node.process.freeze()
        cluster.froze(node)
        return lasts(note(kind, node.process.name), chance.int(20, 30_000), node.process.thaw)
      }
      case "leave": {
        const incident = note(kind, node.process.name)
        return node.stop(() => {
          node.process.kill()
          cluster.left(node)
          lasts(incident, chance.int(200, 5_000), comesBack(node))
        })
      }
      case "rob": {
        const [shard, ...others] = cluster.held(node)
        if (shard === undefined) return
        cluster.rob(chance.pick([shard, ...others]))
        return end(note(kind, node.process.name))
      }
      case "jump": {
        loop.jump(chance.happens(0.5) ? chance.int(1_000, 3_600_000) : -chance.int(1_000, 600_000))
        return end(note(kind, undefined))
      }
      case "outage": {
        outages++
        return lasts(note(kind, undefined), chance.int(50, 12_000), () => outages--)
      }
    }
  }

  const count = Array.isReadonlyArrayNonEmpty(faults.kinds) ? chance.int(0, faults.atMost) : 0
  for (let n = 0; n < count; n++) {
    const kinds = faults.kinds
    loop.after(chance.int(0, faults.within), () => {
      if (!healed && Array.isReadonlyArrayNonEmpty(kinds)) strike(chance.pick(kinds))
    })
  }

  return {
    strike,
    isDown: () => outages > 0,
    /** Ends all faults; no drawn one begins any more. */
    heal: () => {
      healed = true
      mends.forEach((_, incident) => mend(incident))
    }
  }
}
