/** In ms. */
const quiet = 60_000

/** How many things are remembered as told. */
const remembered = 1_000

/**
 * Answers whether a thing is to be told at `now` (ms, always of one clock): not if it was told within the last minute.
 * What goes on for long is one line a minute in the log, not one for each event.
 */
export const make = (): (thing: string, now: number) => boolean => {
  const told = new Map<string, number>()
  return (thing, now) => {
    const last = told.get(thing)
    // What a clock told that was ahead and is set back says nothing of the last minute.
    if (last !== undefined && Math.abs(now - last) < quiet) return false
    if (told.size >= remembered) told.clear()
    told.set(thing, now)
    return true
  }
}
