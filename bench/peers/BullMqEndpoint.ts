import { Effect } from "effect"
import * as BullMq from "./BullMq.ts"
import * as SendApi from "./SendApi.ts"

let completed = 0
const jobs = BullMq.make(process.env["BENCH_REDIS_URL"] ?? "", () => completed++)
await jobs.ready()

SendApi.serve(
  (send) => Effect.promise(async () => String((await jobs.add(send)).id)),
  () => `jobs_completed_total ${completed}\n`,
  Effect.promise(() => jobs.close())
)
