/** A call that asks to be let in. Exactly one of `enter` and `refuse` is called, once. */
export interface Visitor {
  /** Bytes held in memory for as long as it waits. */
  readonly bytes: number
  readonly enter: () => void
  readonly refuse: () => void
}

/** Times in ms of one monotonic clock. */
export interface Bounds {
  /** An admitted call that takes longer than this cuts the limit. */
  readonly latency: number
  /**
   * How long the queue may stay non-empty before it counts as standing: a burst that is served within this time is
   * refused nothing.
   */
  readonly interval: number
  /** How long a call may wait once the queue has been non-empty for longer than `interval`. */
  readonly delay: number
  /** How many calls may run at once: the first limit, and the bounds within which it adapts. */
  readonly limit: { readonly first: number; readonly least: number; readonly most: number }
  /** The memory that all waiting calls together may hold. */
  readonly bytes: number
}

interface Waiting extends Visitor {
  readonly since: number
}

/**
 * Admission control by waiting time: a limit on running calls, found from their latency, with a queue of controlled
 * delay in front of it.
 * The limit adapts as TCP's does, after Netflix's concurrency-limits: it grows additively while it is used and calls
 * are quick (doubling per round far below the latency bound), and is cut multiplicatively, once per round of slow
 * calls.
 * The queue is CoDel as in Facebook's servers ("Fail at Scale", ACM Queue 2015). A queue that empties within `interval`
 * is a burst, and everybody in it is served. One that does not is standing, and nobody in it waits longer than `delay`.
 * A call that finds too many before it to be served in that time should be refused at once (`isFull`).
 * Pure but for its own state: the caller tells the time.
 */
export const make = (bounds: Bounds) => {
  const { bytes: capacity, delay, interval, latency } = bounds
  const { first, least, most } = bounds.limit
  const waiting: Array<Waiting> = []
  let limit = first
  let running = 0
  let held = 0
  /** When the queue was last empty before it filled. */
  let standing = 0
  /** When the limit was last cut. Calls that began before then say nothing about the new limit. */
  let cut = -Infinity
  /** How many were let in from the queue in the `delay` that began at `counted`, and in the one before it. */
  let counted = -Infinity
  let entered = 0
  let enteredBefore = 0
  let isAdmitting = false

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

  const next = () => hasRoom() ? shift() : undefined

  const admit = (now: number) => {
    count(now)
    // A call that ends as soon as it is let in leaves its place to this loop.
    if (isAdmitting) return
    isAdmitting = true
    try {
      for (let head = next(); head !== undefined; head = next()) {
        running++
        entered++
        head.enter()
      }
    } finally {
      isAdmitting = false
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

  /** When the call that has waited longest will be refused if no place becomes free; `undefined` if none waits. */
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
    /**
     * An admitted call that was let in at `since` has ended; `undefined`: it did not run, and says nothing of how long
     * calls take. Its place goes to the call that has waited longest, before any is refused.
     */
    leave: (now: number, since: number | undefined): void => {
      if (since !== undefined) adapt(now, since)
      running--
      admit(now)
    },
    /** Refuses the calls that have waited too long. */
    expire: (now: number): void => {
      for (let at = refusesAt(); at !== undefined && at <= now; at = refusesAt()) shift()?.refuse()
    },
    /**
     * Whether the queue is standing and holds more than twice as many calls as were let in within one `delay`: a call
     * that arrives now would wait in vain.
     */
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
