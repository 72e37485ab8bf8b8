import { setTimeout as sleep } from "node:timers/promises"
import * as Crowd from "./Crowd.ts"
import * as Database from "./Database.ts"
import { atMost, type Question } from "./Report.ts"
import * as Target from "./Target.ts"

/** How soon does the first message of a send to a large audience start? Measured from the POST to the first attempt. */
export const audience: Question = (quick) =>
  Database.withDatabase(async (database) => {
    const profiles = quick ? 20_000 : 1_000_000
    await Crowd.prepare({ database }, Crowd.audience(profiles))
    const target = await Target.tidings({ database })
    try {
      await Crowd.send(target, { user_id: "warm-up" })
      await Target.untilSettled(target, 1)
      await Crowd.send(target, { audience_id: "tenth" })
      const first = "select min(a.started_at) - (select accepted_at from expansions) from attempts a"
        + " join messages m on m.scope = a.scope and m.id = a.message_id where m.lane = 'bulk'"
      const started =
        "select count(*) from (select from attempts a join messages m on m.scope = a.scope and m.id = a.message_id"
        + " where m.lane = 'bulk' limit 1) x"
      while (await database.count(started) === 0) await sleep(50)
      const millis = await database.count(first)
      return [{
        question: "audience",
        what: `first start, ${(profiles / 10).toLocaleString("en")} of ${profiles.toLocaleString("en")} profiles`,
        value: millis,
        unit: "ms",
        goal: atMost(millis, 2_000)
      }]
    } finally {
      await target.stop("SIGKILL")
    }
  })
