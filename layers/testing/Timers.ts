/** A value that is due at a time. Timers of the same time come in the order in which they were added. */
export interface Timer<A> {
  readonly at: number
  readonly order: number
  readonly value: A
  state: "waiting" | "taken" | "canceled"
}

const isBefore = <A>(a: Timer<A>, b: Timer<A>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** A priority queue of timers, as a binary heap. */
export const make = <A>() => {
  const heap: Array<Timer<A>> = []
  let order = 0

  const rise = (timer: Timer<A>, from: number) => {
    let index = from
    while (index > 0) {
      const up = (index - 1) >> 1
      const parent = heap[up]
      if (parent === undefined || isBefore(parent, timer)) break
      heap[index] = parent
      index = up
    }
    heap[index] = timer
  }

  const sink = (timer: Timer<A>) => {
    let index = 0
    while (true) {
      const left = 2 * index + 1
      const [one, other] = [heap[left], heap[left + 1]]
      if (one === undefined) break
      const child = other !== undefined && isBefore(other, one) ? other : one
      if (isBefore(timer, child)) break
      heap[index] = child
      index = child === one ? left : left + 1
    }
    heap[index] = timer
  }

  const pop = (): Timer<A> | undefined => {
    const first = heap[0]
    const last = heap.pop()
    if (last !== undefined && first !== last) sink(last)
    return first
  }

  /** The first timer that was not canceled; drops canceled ones before it. */
  const top = (): Timer<A> | undefined => {
    while (heap[0]?.state === "canceled") pop()
    return heap[0]
  }

  return {
    add: (at: number, value: A): Timer<A> => {
      const timer: Timer<A> = { at, order: order++, value, state: "waiting" }
      rise(timer, heap.length)
      return timer
    },
    /** Answers whether it was still waiting. */
    cancel: (timer: Timer<A>): boolean => {
      if (timer.state !== "waiting") return false
      timer.state = "canceled"
      return true
    },
    next: (): number | undefined => top()?.at,
    take: (): A | undefined => {
      if (top() === undefined) return undefined
      const timer = pop()
      if (timer !== undefined) timer.state = "taken"
      return timer?.value
    }
  }
}
