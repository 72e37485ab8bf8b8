import { Logger, run } from "graphile-worker"
import * as Jobs from "./Jobs.ts"

// The settings of its own performance page: 24 jobs at a time over 25 connections, a local queue of 500 and batched
// completion. Other sizes, a pool for adding alone, and no batching at all stayed within the noise (640–870 jobs/s here):
// each add_job notifies, so the adds queue at the commit, and there is no setting against it.
await Jobs.measure(async (completed) => {
  const runner = await run({
    preset: {
      worker: {
        connectionString: process.env["DATABASE_URL"] ?? "",
        concurrentJobs: 24,
        maxPoolSize: 25,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0
      }
    },
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    taskList: { send: async () => completed() }
  })
  return { add: (message) => runner.addJob("send", { message }), close: () => runner.stop() }
})
