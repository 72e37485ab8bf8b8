/** Who asks to be let in; one of `enter` and `refuse` is called, once. */
export interface Visitor {
  /** Bytes held in memory for as long as it waits. */
  readonly bytes: number
  readonly enter: () => void
  readonly refuse: () => void
}

/** Times in ms of one monotonic clock. */
export interface Bounds {
  /** What an admitted call may take before the limit is cut. */
  readonly latency: number
  /** For so long a queue may stand: a burst that is served within it is refused nothing. */
  readonly interval: number
  /** What a wait may last once the queue has stood longer than `interval`. */
  readonly delay: number
  /** Admitted calls at once: at the start, and the bounds that adapting keeps to. */
  readonly limit: { readonly first: number; readonly least: number; readonly most: number }
  /** Bytes that all who wait may hold. */
  readonly bytes: number
}

interface Waiting extends Visitor {
  readonly since: number
}

/**
 * Admission by the time that a call would wait: a limit on the calls at work, found by their latency, and before it a queue with controlled
 * delay. The limit is that of TCP, as in Netflix's concurrency-limits (additive increase while it is used and calls are quick, doubling
 * far below the bound; one multiplicative decrease per round of slow ones). The queue is CoDel's as Facebook's servers have it ("Fail at
 * Scale", ACM Queue 2015): one that has emptied within `interval` is a burst and keeps everybody; one that has not is standing, and keeps
 * nobody longer than `delay`; who finds so many before him that his time would be over is better told so at once (`isFull`). Pure but for its
 * own state: the caller says what time it is.
 */
export const make = (bounds: Bounds) => {
  const { bytes: capacity, delay, interval, latency } = bounds
  const { first, least, most } = bounds.limit
  const waiting: Array<Waiting> = []
  let limit = first
  let running = 0
  let held = 0
  /** When the queue last began to stand. */
  let standing = 0
  /** When the limit was last cut: calls that began before it tell nothing of the new one. */
  let cut = -Infinity
  /** Who got in out of the queue in the `delay` that began at `counted`, and in the one before. */
  let counted = -Infinity
  let entered = 0
  let enteredBefore = 0

  const hasRoom = () => running < Math.floor(limit)

  const shift = (): Waiting | undefined => {
    const head = waiting.shift()
    if (head !== undefined) held -= head.bytes
    return head
  }

  const count = (now: number) => {
    if (now - counted < delay) return
    enteredBefore = now - counted < 2 * delay ? entered : 0
    entered = 0
    counted = now
  }

  const admit = (now: number) => {
    count(now)
    while (hasRoom()) {
      const head = shift()
      if (head === undefined) return
      running++
      entered++
      head.enter()
    }
  }

  const adapt = (now: number, since: number) => {
    const took = now - since
    if (took > latency) {
      if (since < cut) return
      limit = Math.max(least, limit * Math.max(0.5, latency / took))
      cut = now
    } else if (running * 2 >= limit) {
      limit = Math.min(most, limit + (took < latency / 2 ? 1 : 1 / limit))
    }
  }

  /** When the one who has waited longest is refused, if nothing changes; `undefined`: nobody waits. */
  const refusesAt = (): number | undefined => {
    const head = waiting[0]
    return head && Math.max(standing + interval, head.since + delay)
  }

  return {
    refusesAt,
    arrive: (now: number, visitor: Visitor): void => {
      if (waiting.length === 0 && hasRoom()) {
        running++
        visitor.enter()
      } else if (held + visitor.bytes > capacity) visitor.refuse()
      else {
        if (waiting.length === 0) standing = now
        held += visitor.bytes
        waiting.push({ ...visitor, since: now })
      }
    },
    /** An admitted call that was let in at `since` is over. Its place goes to who has waited longest, before anybody is refused. */
    leave: (now: number, since: number): void => {
      adapt(now, since)
      running--
      admit(now)
    },
    /** Refuses those whose time is over. */
    expire: (now: number): void => {
      for (let at = refusesAt(); at !== undefined && at <= now; at = refusesAt()) shift()?.refuse()
    },
    /** Whether the queue stands, and has twice as many in it as get in before their time is over: who comes now waits in vain. */
    isFull: (now: number): boolean => {
      if (waiting.length === 0 || now - standing < interval) return false
      count(now)
      return waiting.length > 2 * Math.max(entered, enteredBefore)
    },
    limit: () => Math.floor(limit),
    running: () => running,
    waiting: () => waiting.length
  }
}
