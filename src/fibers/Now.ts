import { Clock, Effect } from "effect"

/**
 * The time of the fiber's clock, in one step of its fiber where `Clock`'s own effects take two: a message asks for it
 * ten times on its way. Epoch ms.
 */
export const millis: Effect.Effect<number> = Effect.withFiberSucceed((fiber) =>
  fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
)

/** Monotonic, ms. */
export const monotonicMillis: Effect.Effect<number> = Effect.withFiberSucceed((fiber) =>
  Number(fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe() / 1_000_000n)
)

/** Monotonic, ns. */
export const monotonicNanos: Effect.Effect<bigint> = Effect.withFiberSucceed((fiber) =>
  fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()
)
