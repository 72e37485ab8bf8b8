import * as Chances from "#layers/testing/Chance.ts"
import type { Cluster } from "#layers/testing/Cluster.ts"
import type { Faults, Kind } from "#layers/testing/Faults.ts"
import type { Incident } from "#layers/testing/History.ts"
import type { Loop } from "#layers/testing/Loop.ts"
import type { Node } from "#layers/testing/Node.ts"
import { Array } from "effect"

const defaultAimed = 0.3

/** Injects the faults of a world, and ends them. */
export const make = (options: {
  readonly loop: Loop
  /** Nothing else draws from it: a seed has the same faults, whatever else happens in its world. */
  readonly chance: Chances.Chance
  readonly cluster: Cluster
  readonly incidents: Array<Incident>
  readonly faults: Faults
  readonly restart: (name: string) => void
}) => {
  const { chance, cluster, faults, incidents, loop } = options
  let outages = 0
  let lags = 0
  let healed = false

  const note = (kind: Kind, node: string | undefined, drawn: number | undefined, by?: number): Incident => {
    const at = loop.now()
    const incident: Incident = { kind, node, at, until: Infinity, drawn, ...(by === undefined ? {} : { by }) }
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

  /** A fault that is no single node's. */
  const everywhere = (kind: Kind, chance: Chances.Chance, drawn: number | undefined): boolean => {
    switch (kind) {
      case "jump": {
        const by = chance.happens(0.5) ? chance.int(1_000, 3_600_000) : -chance.int(1_000, 600_000)
        loop.jump(by)
        end(note(kind, undefined, drawn, by))
        return true
      }
      case "outage": {
        outages++
        lasts(note(kind, undefined, drawn), chance.int(50, 12_000), () => outages--)
        return true
      }
      case "lag": {
        lags++
        lasts(note(kind, undefined, drawn), chance.int(1_000, 30_000), () => lags--)
        return true
      }
      default:
        return false
    }
  }

  const at = (node: Node, kind: Kind, chance: Chances.Chance, drawn: number | undefined): boolean => {
    const { name } = node.process
    switch (kind) {
      case "crash": {
        node.process.kill()
        cluster.crashed(node)
        lasts(note(kind, name, drawn), chance.int(200, 15_000), comesBack(node))
        return true
      }
      case "freeze": {
        node.process.freeze()
        cluster.froze(node)
        lasts(note(kind, name, drawn), chance.int(20, 30_000), node.process.thaw)
        return true
      }
      case "leave": {
        const incident = note(kind, name, drawn)
        node.stop(() => {
          node.process.kill()
          cluster.left(node)
          lasts(incident, chance.int(200, 5_000), comesBack(node))
        })
        return true
      }
      case "rob": {
        const [shard, ...others] = cluster.held(node)
        if (shard === undefined) return false
        cluster.rob(chance.pick([shard, ...others]))
        end(note(kind, name, drawn))
        return true
      }
      default:
        return false
    }
  }

  /**
   * Answers whether there was something to strike. `drawn`: its number, if it is one that the seed draws. `name`: the
   * node that it is for; by default one is picked.
   */
  const strike = (kind: Kind, chance: Chances.Chance, drawn?: number, name?: string): boolean => {
    const [first, ...rest] = cluster.members().filter(({ isStopping, process }) =>
      process.isAlive() && !process.isFrozen() && !(kind === "leave" && isStopping()) &&
      (name === undefined || process.name === name)
    )
    const node = first === undefined ? undefined : chance.pick([first, ...rest])
    return everywhere(kind, chance, drawn) || (node !== undefined && at(node, kind, chance, drawn))
  }

  /** The aimed faults whose time has come, in that order. */
  const aimed: Array<{ readonly own: Chances.Chance; readonly strike: (node: string) => void }> = []
  const share = faults.aimed ?? defaultAimed

  const count = Array.isReadonlyArrayNonEmpty(faults.kinds) ? chance.int(0, faults.atMost) : 0
  for (let n = 0; n < count; n++) {
    const kinds = faults.kinds
    // Each has a chance of its own, so that it is the same with and without the others.
    const own = Chances.fork(chance)
    const begin = (node?: string) => {
      if (Array.isReadonlyArrayNonEmpty(kinds)) strike(own.pick(kinds), own, n, node)
    }
    const at = own.int(0, faults.within)
    const isAimed = share > 0 && own.happens(share)
    loop.after(at, () => {
      if (healed || faults.only?.includes(n) === false) return
      if (isAimed) aimed.push({ own, strike: begin })
      else begin()
    })
  }

  return {
    strike,
    /** A node begins a call that its provider answers after so many ms. */
    called: (node: string, ms: number) => {
      const fault = aimed.shift()
      if (fault !== undefined) loop.after(fault.own.int(1, Math.max(1, ms - 1)), () => fault.strike(node))
    },
    isDown: () => outages > 0,
    isSlow: () => lags > 0,
    /** The probability of a move now (`Faults.moves`). */
    moves: () => healed ? 0 : faults.moves ?? 0,
    /** No aimed fault strikes any more. */
    disarm: () => {
      aimed.length = 0
    },
    /** Ends all faults; no drawn one begins any more, but for aimed ones, which wait for their calls. */
    heal: () => {
      healed = true
      mends.forEach((_, incident) => mend(incident))
    }
  }
}
