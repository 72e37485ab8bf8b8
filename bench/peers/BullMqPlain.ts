import * as BullMq from "./BullMq.ts"
import * as Jobs from "./Jobs.ts"

await Jobs.measure(async (completed) => {
  const jobs = BullMq.make(process.env["BENCH_REDIS_URL"] ?? "", completed)
  await jobs.ready()
  return jobs
})
