/** Calls a second: the bounds of what is tried, and how fast a provider is called while nothing else is known of it. */
const least = 0.2
const most = 10_000
const first = 2

/** What a refusal without a named wait is waited for, in ms: most limits are those of a second. */
const pause = 1_000

/** Calls that could have begun in so many ms and did not are made up for. */
const burst = 50

/** A rate that was tried for less than so many seconds was far too high: how much of it is left. */
const short = 3
const left = 0.85

/**
 * By how much less than the limit a provider is called after a refusal, and after how many seconds by none: after the
 * first refusals fewer, since one that came while the rate doubled may have come far below the limit, or above it.
 */
const less = 0.1
const firstPlateau = 5
const plateau = 20

/** Those who are sent away come back one after the other, so many a second at least, to all crowded gates together. */
const comingBack = 200

/** A gate at which nobody has waited for so long, and whose provider wanted no wait, is none. In ms. */
const unused = 600_000

/**
 * How fast a provider is called that takes no more for now: in even distances, at a rate that is found out. It doubles
 * each second until the provider refuses a call. From then on it follows the cubic curve of RFC 9438: a tenth less,
 * soon nearly as much, for a while no more, and then the bolder, the longer no call is refused. So nearly as much is
 * taken as is allowed, and hardly a call is refused. Only what had to wait counts: that fewer calls are taken proves
 * nothing. Nor does a refusal if nothing was taken since the last one: the provider takes nothing at all, at whatever
 * rate. What was found out stays then, and the rate doubles up to it again, as TCP's does after timeouts (RFC 5681).
 * Pure but for its own state: the caller tells the monotonic time, in ms. `named`: the wait that the provider has named
 * with its first refusal, at `begun`.
 */
export const make = (begun: number, named: number) => {
  let limit: number | undefined
  let refusals = 0
  /** Whether a call was taken since the last refusal. */
  let isTaking = false
  /** Whether the rate doubles up to the curve: before the last refusal, none was. */
  let isBack = false
  /** Seconds since the last refusal in which calls had to wait. */
  let tested = 0
  let refusedAt = begun
  let nextAt = begun + Math.max(named, pause)
  let passedAt = nextAt
  let usedAt = begun + named
  const backAt = new Map<string, number>()

  const bounded = (rate: number) => Math.min(most, Math.max(least, rate))
  const rateAfter = (seconds: number): number => {
    const doubled = first * 2 ** seconds
    if (limit === undefined) return bounded(doubled)
    const curve = limit * (1 + less * (seconds / Math.min(plateau, firstPlateau * refusals) - 1) ** 3)
    return bounded(isBack ? Math.min(doubled, curve) : curve)
  }
  const rate = () => rateAfter(tested)
  const isDoubling = () => limit === undefined || (isBack && rate() < limit)

  return {
    /** Calls a second. */
    rate,
    /** When the next call may begin. */
    nextAt: () => nextAt,
    /** A call begins. */
    pass: (now: number, waited: boolean): void => {
      if (waited) {
        tested += Math.min(Math.max(0, now - passedAt) / 1_000, Math.max(1, 1 / rate()))
        usedAt = now
      }
      passedAt = Math.max(passedAt, now)
      nextAt = Math.max(nextAt, now - burst) + 1_000 / rate()
    },
    /**
     * A call that was let through at `since` was refused, and the provider may have named a wait. Answers whether that is
     * news: of all that were under way when the first was refused, the others say no more than it.
     */
    refused: (now: number, since: number, named: number): boolean => {
      const isNews = since > refusedAt
      if (isNews) {
        isBack = !isTaking
        if (isTaking) {
          const until = Math.max(0, tested - (now - since) / 1_000)
          limit = bounded(rateAfter(until) * (until < short ? left : 1))
          refusals++
        }
        isTaking = false
        tested = 0
        refusedAt = now
      }
      if (isNews || named > 0) usedAt = Math.max(usedAt, now + named)
      nextAt = Math.max(nextAt, now + Math.max(named, isNews ? pause : 0))
      passedAt = Math.max(passedAt, nextAt)
      return isNews
    },
    /** A call that was let through at `since` was taken. */
    taken: (since: number): void => {
      if (since > refusedAt) isTaking = true
    },
    /**
     * When one who is sent away may come back: after those of its lane that come back by then (`comesBack`). `crowded`:
     * how many gates there are that somebody waits at.
     */
    backAt: (now: number, lane: string, crowded: number): number => {
      const at = Math.max(nextAt, backAt.get(lane) ?? 0, now + pause)
      // While the rate doubles, it is another one by then.
      const then = isDoubling() ? Math.min(limit ?? most, rateAfter(tested + (at - nextAt) / 1_000)) : rate()
      return at + 1_000 / Math.max(comingBack / Math.max(1, crowded), 2 * then)
    },
    comesBack: (lane: string, at: number): void => {
      backAt.set(lane, Math.max(backAt.get(lane) ?? 0, at))
    },
    /** When it is none any more, unless somebody waits or is refused before. */
    unusedAt: () => usedAt + unused
  }
}

export type RateGate = ReturnType<typeof make>
