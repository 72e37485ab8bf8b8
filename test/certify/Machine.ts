import { readFileSync } from "node:fs"

/** Nanoseconds for which the main thread of a process ran, and for which it was ready to run and had to wait for a processor. */
const scheduled = (pid: number | "self"): { readonly ran: number; readonly waited: number } => {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ").map(Number)
    return { ran: ran ?? 0, waited: waited ?? 0 }
  } catch {
    return { ran: 0, waited: 0 }
  }
}

/** Less than this says nothing, in ns. */
const enough = 100_000_000

/**
 * Promises in seconds are made for a machine that has a processor to give. Answers how many times longer everything takes here since now: what
 * offers the load beside the server stands in the same queue, and the kernel counts how long. 1 where it does not.
 */
export const slownessFromNow = (): () => number => {
  const from = scheduled("self")
  return () => {
    const to = scheduled("self")
    const ran = to.ran - from.ran
    return ran < enough ? 1 : 1 + (to.waited - from.waited) / ran
  }
}

/** Seconds in which this process did not wait for a processor, since now: what it does in one of them does not depend on its neighbours. */
export const secondsFromNow = (pid: number): () => number => {
  const began = performance.now()
  const { waited } = scheduled(pid)
  return () => (performance.now() - began) / 1_000 - (scheduled(pid).waited - waited) / 1e9
}
