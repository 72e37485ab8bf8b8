import * as Checker from "#test/simulator/Checker.ts"
import * as Seeds from "#test/simulator/Seeds.ts"

/** Lives and checks the first `WORLDS` seeds; prints how many it did a second of CPU, all threads of this process counted. */
const worlds = Number(process.env["WORLDS"])
for (let seed = 1; seed <= worlds; seed++) {
  const [complaint] = Checker.complaints(Seeds.live(seed))
  if (complaint !== undefined) throw new Error(`SEED=${seed}: ${complaint}`)
}
const { system, user } = process.cpuUsage()
console.log(JSON.stringify({ rate: worlds / ((system + user) / 1e6) }))
