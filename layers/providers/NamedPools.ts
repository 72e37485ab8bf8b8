import type * as Undici from "@effect/platform-node/Undici"
import { Effect } from "effect"

/** How many names have connections at a time. Messages may bring names of their own (`override.config`). */
const most = 100

/**
 * Pools of connections, one for each name, so that calls of two names never share a connection. Of more than `most`
 * names, the one that was not used for longest loses its pool, which ends with its last call.
 */
export const make = Effect.fnUntraced(function*(options: Undici.Agent.Options) {
  const { Agent } = yield* Effect.promise(() => import("@effect/platform-node/Undici"))
  const pools = yield* Effect.acquireRelease(
    Effect.sync(() => new Map<string, Undici.Agent>()),
    (pools) => Effect.promise(() => Promise.all(Array.from(pools.values(), (pool) => pool.destroy())))
  )
  return (name: string): Undici.Dispatcher => {
    const pool = pools.get(name) ?? new Agent(options)
    // A map keeps its order: the last is the one that was used last.
    pools.delete(name)
    pools.set(name, pool)
    for (const [unused, other] of pools) {
      if (pools.size <= most) break
      pools.delete(unused)
      other.close(() => {})
    }
    return pool
  }
})
