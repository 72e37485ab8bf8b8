import { bodyOf } from "../Load.ts"

/** A queue library as the bench drives it: one job per message, the worker in the same process. */
export interface Peer {
  add(message: unknown): Promise<unknown>
  close(): Promise<unknown>
}

/**
 * Adds BENCH_JOBS jobs from 64 producers, each of which adds its next job when the last is stored, and prints the rate
 * from the first add to the last completion; a tenth as many come before, to warm up. `make` is given the function that
 * the worker must call after each job.
 */
export const measure = async (make: (completed: () => void) => Promise<Peer>): Promise<void> => {
  let done = 0
  let wanted = Number.POSITIVE_INFINITY
  let finished = () => {}
  const peer = await make(() => {
    if (++done >= wanted) finished()
  })
  const run = async (jobs: number) => {
    const end = new Promise<void>((resolve) => finished = resolve)
    done = 0
    wanted = jobs
    let next = 0
    const begin = performance.now()
    const produce = async () => {
      while (next < jobs) await peer.add(JSON.parse(bodyOf(String(next++ % 5000).padStart(8, "0"))))
    }
    await Promise.all(Array.from({ length: 64 }, produce))
    await end
    return jobs / ((performance.now() - begin) / 1000)
  }
  const jobs = Number(process.env["BENCH_JOBS"])
  await run(Math.ceil(jobs / 10))
  const rate = await run(jobs)
  await peer.close()
  console.log(JSON.stringify({ rate }))
}
