import { type Arrived, type Behind, encode, type Handed, type Request } from "#layers/cluster/Protocol.ts"
import type { Lane, OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Taking } from "#src/delivery/Shards.ts"
import type { Receiver } from "#src/delivery/journal/Handover.ts"
import * as Pace from "#src/delivery/journal/Pace.ts"
import { Effect } from "effect"

/** Characters that may be on their way to a worker; what is accepted meanwhile it reads from the store. */
const mostUnderWay = 8_388_608

/**
 * With more characters on their way, a flush waits (`Pace`) until they have arrived. Where both threads are
 * busy, acceptance then goes at the pace of the engine, as it does in one thread. Measured: without, it ran a quarter
 * ahead of the deliveries, and these were a tenth slower, since most of what was accepted outlived the garbage
 * collector's nursery and was read from the store. With a quarter of it, threads waited for each other more.
 */
const enoughUnderWay = 65_536

/** The hand-over from a server's journal to one of its workers. */
export interface Link {
  /** What the worker last said that it takes. */
  readonly taking: () => Taking
  /**
   * A worker that is the only node hears of every commit, in its order, whatever it last said that it owns: it may have
   * taken a shard since, and a message that it heard of later would pass one that it has not heard of (P3). Of a lane
   * in which it cannot take what is accepted, it hears only that there is something. One beside others hears that of
   * its own shards: of the rest their owners are notified.
   */
  readonly receiver: Receiver
  readonly heard: (said: Taking | Arrived) => void
  /**
   * Whether the worker has stopped answering. Its shards may be another node's by now, which then is notified; what it
   * would have been told meanwhile, it is told in one word when it answers again.
   */
  readonly silent: (isSilent: boolean) => void
}

/** All that are ready, and of those that wait for their time in owned shards, the first of each lane. */
const worthTelling = (messages: ReadonlyArray<OpenMessage>, owned: ReadonlySet<number>): ReadonlyArray<OpenMessage> => {
  const firsts = new Map<Lane, OpenMessage>()
  const ready: Array<OpenMessage> = []
  for (const message of messages) {
    const { dueAt, lane, shard } = message
    if (dueAt === 0) ready.push(message)
    else if (owned.has(shard) && dueAt < (firsts.get(lane)?.dueAt ?? Infinity)) firsts.set(lane, message)
  }
  return [...ready, ...firsts.values()]
}

/** `post` never fails, and nobody needs to hear it: a worker reads from the store what it was not told. */
export const make = (post: (said: Behind | Handed | Request) => void): Link => {
  let taking: Taking = { shards: [], alone: false, backlogged: [] }
  let owned: ReadonlySet<number> = new Set()
  const underWay = Pace.make(enoughUnderWay)
  /** What a silent worker is to be told: lanes, and whether there may be requests to many. */
  let unsaid: { readonly lanes: Set<Lane>; stir: boolean } | undefined

  const behind = (lanes: Iterable<Lane>) => {
    const named = [...new Set(lanes)]
    if (named.length === 0) return
    if (unsaid === undefined) post({ behind: named })
    else for (const lane of named) unsaid.lanes.add(lane)
  }

  const offer = (messages: ReadonlyArray<OpenMessage>) => {
    const isTaken = ({ lane }: OpenMessage) =>
      taking.alone && unsaid === undefined && underWay.total() <= mostUnderWay && !taking.backlogged.includes(lane)
    const taken = messages.filter(isTaken)
    const left = messages.filter((message) => !isTaken(message) && (taking.alone || owned.has(message.shard)))
    behind(left.map(({ lane }) => lane))
    const told = worthTelling(taken, owned)
    if (told.length === 0) return
    const handed = encode(told)
    underWay.add(handed.length)
    post({ handed })
  }

  return {
    taking: () => taking,
    receiver: {
      owns: (shard) => unsaid === undefined && owned.has(shard),
      room: underWay.room,
      offer: (messages) => Effect.sync(() => offer(messages)),
      stir: Effect.sync(() => {
        if (unsaid === undefined) post("stir")
        else unsaid.stir = true
      }),
      behind: (lanes) => Effect.sync(() => behind(lanes))
    },
    heard: (said) => {
      if ("arrived" in said) underWay.remove(said.arrived)
      else {
        taking = said
        owned = new Set(said.shards)
      }
    },
    silent: (isSilent) => {
      if (isSilent) unsaid ??= { lanes: new Set(), stir: false }
      else if (unsaid !== undefined) {
        const { lanes, stir } = unsaid
        unsaid = undefined
        behind(lanes)
        if (stir) post("stir")
      }
    }
  }
}
