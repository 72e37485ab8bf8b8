import * as Checker from "#test/simulator/Checker.ts"
import * as Seeds from "#test/simulator/Seeds.ts"

/**
 * Runs and checks the worlds of the first `WORLDS` seeds, and prints how many per second of CPU, counting all threads
 * of this process.
 */
const worlds = Number(process.env["WORLDS"])
for (let seed = 1; seed <= worlds; seed++) {
  const [complaint] = Checker.complaints(Seeds.live(seed))
  if (complaint !== undefined) throw new Error(`SEED=${seed}: ${complaint}`)
}
const { system, user } = process.cpuUsage()
console.log(JSON.stringify({ rate: worlds / ((system + user) / 1e6) }))
