import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { bodyOf } from "../Load.ts"

/**
 * Adds BENCH_JOBS jobs, 1,000 per `addBulk`, to a queue whose worker is in this process; prints the rate from the first
 * add to the last completion.
 */
const url = process.env["BENCH_REDIS_URL"] ?? ""
const jobs = Number(process.env["BENCH_JOBS"])
const name = `tidings-bench-bulk-${process.pid}`
const connection = new Redis(url)
const blocking = new Redis(url, { maxRetriesPerRequest: null })
const queue = new Queue<unknown>(name, { connection, defaultJobOptions: { removeOnComplete: true } })
let done = 0
let finished = () => {}
const end = new Promise<void>((resolve) => finished = resolve)
const worker = new Worker<unknown>(name, async () => {
  if (++done >= jobs) finished()
}, { connection: blocking, concurrency: 50 })
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])
const begin = performance.now()
for (let next = 0; next < jobs; next += 1_000) {
  const page = Array.from({ length: Math.min(1_000, jobs - next) }, (_, n) => ({
    name: "send",
    data: JSON.parse(bodyOf(String(next + n).padStart(8, "0")))
  }))
  await queue.addBulk(page)
}
await end
const rate = jobs / ((performance.now() - begin) / 1_000)
await worker.close()
await queue.obliterate({ force: true })
await queue.close()
await Promise.all([connection.quit(), blocking.quit()])
console.log(JSON.stringify({ rate }))
