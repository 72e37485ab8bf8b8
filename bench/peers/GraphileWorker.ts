import { Logger, run } from "graphile-worker"
import * as Jobs from "./Jobs.ts"

// The settings of its own performance page: 24 jobs at a time over 25 connections, a local queue of 500 and batched
// completion. Smaller and larger pools, a pool for adding alone, and no batching made no difference beyond the noise.
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
