import { Effect } from "effect"

/** ms. Nothing in a test really waits as long. */
export const long = 3_600_000

/**
 * While the scope lasts, timers of about `long` ms, and not above, fire when `pass` is run: the deadline of a call on a
 * real socket passes when the test has seen the call where it must be, however slow the machine is.
 */
export const held = Effect.gen(function*() {
  const waiting = new Map<unknown, () => void>()
  const { clearTimeout, setTimeout } = globalThis
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      globalThis.setTimeout = new Proxy(setTimeout, {
        apply: (set, self, args) => {
          const timer: unknown = Reflect.apply(set, self, args)
          if (args[1] > long / 2 && args[1] <= long) waiting.set(timer, args[0])
          return timer
        }
      })
      globalThis.clearTimeout = new Proxy(clearTimeout, {
        apply: (clear, self, args) => {
          waiting.delete(args[0])
          return Reflect.apply(clear, self, args)
        }
      })
    }),
    () => Effect.sync(() => Object.assign(globalThis, { clearTimeout, setTimeout }))
  )
  return { pass: Effect.sync(() => waiting.forEach((run) => run())) }
})
