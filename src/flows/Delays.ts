import type { Instructions } from "#schemas/SendMessage.ts"

const minute = 60_000

/**
 * When a message may start, in epoch ms: its acceptance, or that plus its delay. A duration is rounded up to whole minutes (api.md 26.6).
 * `undefined`: at once.
 */
export const startOf = (delay: Instructions["delay"], enqueuedAt: number): number | undefined => {
  const duration = delay?.duration
  if (duration === undefined || duration === null || duration === 0) return undefined
  return enqueuedAt + Math.ceil(duration / minute) * minute
}
