import { type Clock, Effect } from "effect"

/** A clock that somebody sets, as an operator or NTP does, beside a monotonic one that only goes on. Both in ms. */
export const settable = (start: number) => {
  let wall = start
  let monotonic = 0
  const millis = () => wall
  const nanos = () => BigInt(wall) * 1_000_000n
  const steady = () => BigInt(monotonic) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: steady,
    monotonicTimeNanos: Effect.sync(steady),
    sleep: () => Effect.never
  }
  return {
    clock,
    set: (to: number): void => {
      wall = to
    },
    tick: (ms: number): void => {
      wall += ms
      monotonic += ms
    }
  }
}
