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

/** Those who are sent away come back one after the other, so many a second at least. */
const comingBack = 200

/** A gate for which nobody has waited for so long is none, in ms. */
const unused = 600_000

/**
 * How fast a provider is called that takes no more for now: in even distances, at a rate that is found out. It doubles
 * each second until the provider refuses a call. From then on it follows the cubic curve of RFC 9438: a tenth less,
 * soon nearly as much, for a while no more, and then the bolder, the longer no call is refused. So nearly as much is
 * taken as is allowed, and hardly a call is refused. Only what had to wait counts: that fewer calls are taken proves
 * nothing. Pure but for its own state: the caller tells the monotonic time, in ms. `named`: the wait that the provider
 * has named with its first refusal, at `begun`.
 */
export const make = (begun: number, named: number) => {
  let limit: number | undefined
  let refusals = 0
  /** Seconds since the last refusal in which calls had to wait. */
  let tested = 0
  let refusedAt = begun
  let nextAt = begun + Math.max(named, pause)
  let passedAt = nextAt
  let waitedAt = begun
  const backAt = new Map<string, number>()

  const bounded = (rate: number) => Math.min(most, Math.max(least, rate))
  const rateAfter = (seconds: number): number =>
    bounded(
      limit === undefined
        ? first * 2 ** seconds
        : limit * (1 + less * (seconds / Math.min(plateau, firstPlateau * refusals) - 1) ** 3)
    )
  const rate = () => rateAfter(tested)

  return {
    /** Calls a second. */
    rate,
    /** When the next call may begin. */
    nextAt: () => nextAt,
    /** A call begins. */
    pass: (now: number, waited: boolean): void => {
      if (waited) {
        tested += Math.min(Math.max(0, now - passedAt) / 1_000, Math.max(1, 1 / rate()))
        waitedAt = now
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
        const until = Math.max(0, tested - (now - since) / 1_000)
        limit = bounded(rateAfter(until) * (until < short ? left : 1))
        tested = 0
        refusals++
        refusedAt = now
      }
      nextAt = Math.max(nextAt, now + Math.max(named, isNews ? pause : 0))
      passedAt = Math.max(passedAt, nextAt)
      return isNews
    },
    /** When one who is sent away may come back: after those of its lane that come back by then (`comesBack`). */
    backAt: (now: number, lane: string): number => {
      const at = Math.max(nextAt, backAt.get(lane) ?? 0, now + pause)
      // While the rate doubles, it is another one by then.
      const then = limit === undefined ? rateAfter(tested + (at - nextAt) / 1_000) : rate()
      return at + 1_000 / Math.max(comingBack, 2 * then)
    },
    comesBack: (lane: string, at: number): void => {
      backAt.set(lane, Math.max(backAt.get(lane) ?? 0, at))
    },
    isUnused: (now: number) => now - waitedAt > unused
  }
}

export type RateGate = ReturnType<typeof make>
