import { Effect } from "effect"
import * as PgBoss from "./PgBoss.ts"
import * as SendApi from "./SendApi.ts"

let completed = 0
const jobs = await PgBoss.make(process.env["DATABASE_URL"] ?? "", () => completed++)

SendApi.serve(
  (send) => Effect.promise(async () => String(await jobs.add(send))),
  () => `jobs_completed_total ${completed}\n`,
  Effect.promise(() => jobs.close())
)
