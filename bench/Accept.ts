import * as Costs from "./Costs.ts"
import * as Database from "./Database.ts"
import * as Load from "./Load.ts"
import { rounds, spread } from "./Ratio.ts"
import { measured, type Question, ratio } from "./Report.ts"
import * as Target from "./Target.ts"

const clients = 64
const dayMillis = 86_400_000

type Name = "ours" | "bare"

/** A run of the generator, and what it cost. */
interface Run extends Load.Result {
  readonly costs: Costs.Costs
}

const costLines = (what: string, runs: ReadonlyArray<Run>) =>
  Costs.lines("accept", what, runs.map(({ costs, ok }) => ({ costs, count: ok })))

/**
 * How fast does `POST /send` answer 202 after a durable commit, beside an endpoint that stores nothing? A delay of a
 * day keeps the engine from working on what is accepted.
 */
export const accept: Question = (quick) =>
  Database.withDatabase(async (database) => {
    const [ours, bare] = await Promise.all([Target.tidings({ database }), Target.endpoint("BareEndpoint")])
    const results: Record<Name, Array<Run>> = { ours: [], bare: [] }
    const measure = (name: Name, { apiKey, pid, url }: Target.Target, seconds: number) => async () => {
      await Database.checkpoint()
      const { costs, result } = await Costs.during(
        { pid, ...(name === "ours" ? { databaseUrl: database.url } : {}) },
        () => Load.run({ url, apiKey, clients, seconds, recipients: 5000, delay: dayMillis })
      )
      results[name].push({ ...Target.sound(name, result), costs })
      return result.rate
    }
    try {
      await rounds(1, { ours: measure("ours", ours, quick ? 1 : 4), bare: measure("bare", bare, quick ? 1 : 4) })
      results.ours.length = results.bare.length = 0
      const rates = await rounds(quick ? 2 : 6, {
        ours: measure("ours", ours, quick ? 2 : 5),
        bare: measure("bare", bare, quick ? 2 : 5)
      })
      const describe = (name: Name) => {
        const middle = (field: "cpu" | "p50" | "p99") => spread(results[name].map((result) => result[field])).median
        return `p50 ${middle("p50").toFixed(1)} ms, p99 ${middle("p99").toFixed(1)} ms,`
          + ` generator ${Math.round(middle("cpu") * 100)} % of a core`
      }
      return [
        { ...measured("accept", "POST /send", rates.ours), note: describe("ours") },
        { ...measured("accept", "bare endpoint", rates.bare), note: describe("bare") },
        ratio("accept", "ratio to bare endpoint", rates.ours, rates.bare, 0.8),
        ...costLines("a call of POST /send", results.ours),
        ...costLines("a call of the bare endpoint", results.bare)
      ]
    } finally {
      await Promise.all([ours.stop(), bare.stop()])
    }
  })
