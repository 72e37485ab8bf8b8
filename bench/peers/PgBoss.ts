import { PgBoss } from "pg-boss"
import * as Jobs from "./Jobs.ts"

const queue = "send"

// Polling, with fetches straight on while batches are full. LISTEN/NOTIFY looks like the better choice and halves the
// rate (600–1,100 against 1,600–2,100 jobs/s here), since every send then queues at the commit. Of pools of 10 to 40,
// batches of 50 to 500 and 1 to 4 workers these were the best in three interleaved rounds, most of them within 10 %.
await Jobs.measure(async (completed) => {
  const boss = new PgBoss({ connectionString: process.env["DATABASE_URL"] ?? "", max: 40 })
  boss.on("error", (error) => console.error(error))
  await boss.start()
  await boss.createQueue(queue)
  await boss.work(
    queue,
    { batchSize: 100, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    async (jobs) => {
      for (const _ of jobs) completed()
    }
  )
  return {
    add: (message) => boss.send(queue, { message }),
    close: () => boss.stop({ graceful: false })
  }
})
