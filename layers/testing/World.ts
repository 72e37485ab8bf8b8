import { Database } from "#layers/memory/Database.ts"
import { messagesOf, type State, userOf } from "#layers/memory/State.ts"
import * as Audienced from "#layers/testing/Audienced.ts"
import * as Bulks from "#layers/testing/Bulk.ts"
import * as Callers from "#layers/testing/Caller.ts"
import * as Changes from "#layers/testing/Changes.ts"
import * as Chances from "#layers/testing/Chance.ts"
import * as Clients from "#layers/testing/Client.ts"
import * as Configured from "#layers/testing/Configured.ts"
import * as Clusters from "#layers/testing/Cluster.ts"
import type { Faults, Kind } from "#layers/testing/Faults.ts"
import * as Injected from "#layers/testing/Injected.ts"
import type { History, Incident, LogLine } from "#layers/testing/History.ts"
import * as Givens from "#layers/testing/Given.ts"
import type { ListenerOptions } from "#layers/testing/ListenerOptions.ts"
import * as Listeners from "#layers/testing/Listeners.ts"
import * as Loops from "#layers/testing/Loop.ts"
import * as Nodes from "#layers/testing/Node.ts"
import * as Receipts from "#layers/testing/Receipts.ts"
import * as Remotes from "#layers/testing/Remote.ts"
import * as Shared from "#layers/testing/Shared.ts"
import * as Stores from "#layers/testing/Store.ts"
import * as Stored from "#layers/testing/Stored.ts"
import type { VendorOptions } from "#layers/testing/VendorOptions.ts"
import * as Vendors from "#layers/testing/Vendors.ts"
import { once } from "#src/cache/Once.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Clock, Context, Effect, HashMap } from "effect"

/** What a world is made of. */
export interface WorldOptions {
  readonly nodes: number
  readonly shards: number
  readonly vendors: ReadonlyArray<VendorOptions>
  readonly listeners: ReadonlyArray<ListenerOptions>
  readonly faults: Faults
  readonly given: Givens.Given
  /** When it begins, in epoch ms. */
  readonly epoch: number
}

const day = 24 * 3_600_000

/** Longer than any message may be under way once its time has come (72 h, api.md 26.4), in ms. */
const longest = 80 * 3_600_000

/** Twice as long as a story may last, in ms of virtual time: what is due later is a mistake, and each day takes time. */
const furthest = 60 * day

/** Ms after which every answer of the store has arrived that was on its way when the last message ended. */
const onTheWay = 10_000

/** How long the world runs on after its last message ended, in ms: time for a stale owner to do what it must not. */
const afterwards = 20_000

/** An orderly stop ends within this, in ms. */
const stopTime = 60_000

/** What is still to be done, and to be told to listeners. */
const openRows = (state: State): number => {
  let open = Listeners.untold(state)
  for (const shard of HashMap.values(state.open)) open += HashMap.size(shard)
  for (const { dueAt } of HashMap.values(state.expansions)) if (dueAt !== undefined) open++
  return open
}

/** When the last of what is open is due, in epoch ms: a message may wait for years before it is under way. */
const lastDue = (state: State): number => {
  let last = 0
  for (const shard of HashMap.values(state.open))
    for (const { dueAt = 0 } of HashMap.values(shard)) last = Math.max(last, dueAt)
  for (const { dueAt = 0 } of HashMap.values(state.expansions)) last = Math.max(last, dueAt)
  return last
}

/** A world: nodes, a store, providers and callers. The seed decides everything that the engine does not. */
export const make = (seed: number, options: WorldOptions) => {
  const { epoch } = options
  const chance = Chances.make(seed)
  // Nothing else draws from these: a seed keeps its faults, and what its story draws, when code changes.
  const ofFaults = Chances.fork(chance)
  const ofStory = Chances.fork(chance)
  const loop = Loops.make(chance, epoch)
  const incidents: Array<Incident> = []
  const logs: Array<LogLine> = []
  const services = Shared.make(chance)
  const database = Context.get(services, Database)
  Effect.runSync(database.modify((state) => [undefined, Givens.stored(state, options.given, epoch)]))
  let hasAudiences = false
  const audienced = once(() => {
    hasAudiences = true
    return Audienced.make(services)
  })
  const upkeep = Effect.suspend((): Effect.Effect<unknown, StoreUnavailable> =>
    hasAudiences ? audienced().advance : Effect.void
  )
  Effect.runSync(Effect.provideService(
    Configured.make({ services, given: options.given, audienced }),
    Clock.Clock,
    loop.process("given").clock
  ))
  const vendors = Vendors.make(loop, options.vendors, (node, ms) => faults.called(node, ms))
  const listeners = options.listeners.length === 0 ? undefined : Listeners.make(loop, services, options.listeners)
  const cluster = Clusters.make<Nodes.Node>({
    loop,
    chance,
    incidents,
    shardCount: options.shards,
    moves: () => faults.moves()
  })

  const begin = (name: string) => {
    const process = loop.process(name)
    Nodes.start({
      process,
      shared: services,
      store,
      upkeep,
      providers: vendors.of(process),
      telling: listeners?.layer(store, process),
      shardCount: options.shards,
      alone: options.nodes === 1,
      logs,
      ready: cluster.join
    })
  }
  const faults = Injected.make({
    loop,
    chance: ofFaults,
    cluster,
    incidents,
    faults: options.faults,
    restart: begin
  })
  const store = Stores.make({
    loop,
    chance,
    database,
    loses: options.faults.lostAnswers,
    isDown: faults.isDown,
    isSlow: faults.isSlow,
    incidents,
    noted: () => {
      if (listeners === undefined) return
      for (const { process, tell } of cluster.members())
        loop.after(chance.int(1, 30), () => process.post(() => process.run(tell)))
    },
    announce: (shards) => {
      if (shards.length === 0) return
      for (const node of cluster.members()) {
        loop.after(chance.int(1, 30), () =>
          node.process.post(() => {
            if (shards.some((shard) => node.owned.has(shard))) node.process.run(node.shards.wake)
          }))
      }
    }
  })
  const callers = loop.process("callers")
  let asked = 0
  const remote = Remotes.make({
    loop,
    chance,
    caller: callers,
    nodes: () => {
      asked++
      return cluster.members()
    }
  })
  const caller = Callers.make({ loop, chance, remote })
  const client = Clients.make({ loop, caller, remote })
  const bulk = Bulks.make({ loop, caller, store, services })
  const receipts = Receipts.make({ loop, chance, remote })
  const stored = Stored.make(store.look)
  const changes = Changes.make({ loop, chance, remote, store, services, audienced, vendors })

  const names = Array.from({ length: options.nodes }, (_, n) => String.fromCodePoint(97 + n))
  for (const name of names) begin(name)

  /** Asked at each moment of days in which nothing changes: what was counted once is not counted again. */
  let counted: { readonly state: State; readonly open: number } | undefined
  const isDrained = (): boolean => {
    const state = store.look((all) => all)
    if (counted?.state !== state) counted = { state, open: openRows(state) }
    return counted.open === 0
  }

  /** Why the world is not lived to its end, in a sentence: it would take minutes, and look as if it hung. */
  const farOff = (): string | undefined => {
    const due = store.look(lastDue)
    return due <= epoch + furthest ? undefined : [
      `something is due ${
        Math.floor((due - epoch) / day)
      } days after its world began, and 60 are the most: a world begins`,
      "at options.begins, and not now, and so has a due time to be made from DateTime.now of Effect"
    ].join(" ")
  }

  /** Ends all faults, and runs until everything that was accepted has come to its end: whether it did, in time. */
  const drain = (): boolean => {
    faults.heal()
    if (farOff() !== undefined) return false
    const wait = Math.max(0, store.look(lastDue) - loop.wall())
    return loop.run(isDrained, loop.now() + wait + longest) === "done"
  }

  /** Runs until nothing is under way any more: whether everything came to its end. */
  const lastsOn = (): boolean => {
    drain()
    faults.disarm()
    loop.run(() => false, loop.now() + afterwards)
    // A request whose caller had given up waiting may have been accepted since.
    const drained = drain()
    // A node that has lost its shard hears of its call when others have ended the message.
    loop.run(() => vendors.underWay() + (listeners?.underWay() ?? 0) === 0, loop.now() + longest)
    loop.run(() => false, loop.now() + onTheWay)
    return drained
  }

  const stop = (): History["leftovers"] => {
    const nodes = cluster.members()
    const leftovers = nodes.map((node) => ({ node: node.process.name, held: Effect.runSync(node.shards.held) }))
    let stopping = nodes.length
    for (const node of nodes) node.stop(() => stopping--)
    loop.run(() => stopping === 0, loop.now() + stopTime)
    return leftovers.map((leftover, n) => ({ ...leftover, pending: nodes[n]?.process.pending() ?? 0 }))
  }

  return {
    chance: ofStory,
    loop,
    callers,
    client,
    bulk: bulk.bulk,
    receipts,
    change: changes.change,
    stored,
    nodes: names,
    strike: (kind: Kind, node: string | undefined) => faults.strike(kind, ofStory, undefined, node),
    calls: vendors.calls,
    commits: store.commits,
    isDrained,
    /** Counts what happens by its story, its faults and its nodes. */
    deeds: () => asked + incidents.length + store.commits.length,
    /** Ends the world and returns its history. */
    end: (failure: string | undefined): History => {
      // What a story has asked for goes on after it, among the faults that are still to come.
      loop.run(isDrained, options.faults.within)
      const drained = lastsOn()
      const leftovers = drained ? stop() : []
      const state = store.look((all) => all)
      return {
        seed,
        given: options.given,
        hash: loop.hash(),
        requests: client.requests,
        resends: client.resends,
        bulkJobs: bulk.jobs,
        cancellations: client.cancellations,
        changes: changes.changes,
        reports: receipts.reports,
        calls: vendors.calls,
        listeners: options.listeners,
        tellings: listeners?.tellings ?? [],
        commits: store.commits,
        incidents,
        logs,
        messages: [...HashMap.keys(state.messages)].flatMap((scope) => [...messagesOf(state, scope)]),
        deliveries: vendors.calls.filter(({ folded, taken }) => taken && !folded),
        inbox: [...HashMap.entries(state.inbox)].flatMap(([name, items]) =>
          [...HashMap.keys(items)].map((messageId) => ({ ...userOf(name), messageId }))
        ),
        stored,
        drained,
        failure: failure ?? farOff() ?? vendors.fault(),
        leftovers,
        lasted: loop.now()
      }
    }
  }
}
