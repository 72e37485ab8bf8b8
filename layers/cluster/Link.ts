import { type Arrived, encode, type Handed, type Request } from "#layers/cluster/Protocol.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { Taking } from "#src/delivery/Shards.ts"
import type { Receiver } from "#src/delivery/journal/Handover.ts"
import { Effect, Latch } from "effect"

/** Characters that may be on their way to a worker; what is accepted meanwhile it reads from the store. */
const mostUnderWay = 8_388_608

/**
 * With more characters on their way, the flush that brought them waits until they have arrived. Where both threads are
 * busy, acceptance then goes at the pace of the engine, as it does in one thread. Measured: without, it ran a quarter
 * ahead of the deliveries, and these were a tenth slower, since most of what was accepted outlived the garbage
 * collector's nursery and was read from the store. With a quarter of it, threads waited for each other more.
 */
const enoughUnderWay = 65_536

/** How long it waits, in ms: a worker may be busy with one message for long, of which the callers are no part. */
const patience = 100

/** The hand-over from a server's journal to one of its workers. */
export interface Link {
  /** What the worker last said that it takes. */
  readonly taking: () => Taking
  /**
   * A worker that is the only node hears of every commit, in its order, whatever it last said that it owns: it may have
   * taken a shard since, and a message that it heard of later would pass one that it has not heard of (P3). Of a lane
   * in which it cannot take what is accepted, it hears only that there is something.
   */
  readonly receiver: Receiver
  readonly heard: (said: Taking | Arrived) => void
}

/**
 * All that are ready; of those that wait for their time, the first of each lane that are in shards which the worker
 * owns, and in others: it will look at the store then, and finds those after it.
 */
const worthTelling = (messages: ReadonlyArray<OpenMessage>, owned: ReadonlySet<number>): ReadonlyArray<OpenMessage> => {
  const firsts = new Map<string, OpenMessage>()
  const ready: Array<OpenMessage> = []
  for (const message of messages) {
    const { dueAt, lane, shard } = message
    const kind = `${lane} ${owned.has(shard)}`
    if (dueAt === 0) ready.push(message)
    else if (dueAt < (firsts.get(kind)?.dueAt ?? Infinity)) firsts.set(kind, message)
  }
  return [...ready, ...firsts.values()]
}

/** `post` never fails, and nobody needs to hear it: a worker reads from the store what it was not told. */
export const make = (post: (said: Request | Handed) => void): Link => {
  let taking: Taking = { shards: [], direct: [] }
  let owned: ReadonlySet<number> = new Set()
  let underWay = 0
  const room = Latch.makeUnsafe(true)
  const say = (request: Request) => Effect.sync(() => post(request))
  return {
    taking: () => taking,
    receiver: {
      owns: (shard) => owned.has(shard),
      offer: (messages) =>
        Effect.suspend(() => {
          const taken = underWay > mostUnderWay ? [] : messages.filter(({ lane }) => taking.direct.includes(lane))
          if (taken.length < messages.length) post("behind")
          if (taken.length === 0) return Effect.void
          const handed = encode(worthTelling(taken, owned))
          underWay += handed.length
          post({ handed })
          if (underWay <= enoughUnderWay) return Effect.void
          Latch.closeUnsafe(room)
          return Effect.asVoid(Effect.timeoutOption(room.await, patience))
        }),
      stir: say("stir"),
      behind: say("behind")
    },
    heard: (said) => {
      if ("arrived" in said) {
        underWay -= said.arrived
        if (underWay <= enoughUnderWay) Latch.openUnsafe(room)
      } else {
        taking = said
        owned = new Set(said.shards)
      }
    }
  }
}
