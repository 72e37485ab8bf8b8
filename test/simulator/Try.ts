import * as Simulation from "#layers/testing/Simulation.ts"
import { story, options } from "./Story.ts"
import * as Checker from "./Checker.ts"
const [from, to] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 300)]
const c0 = process.cpuUsage()
const kinds: Record<string, Array<string>> = {}
let bad = 0
for (let s = from; s <= to; s++) {
  const h = Simulation.run(s, story, options(s))
  const c = Checker.complaints(h)
  if (c.length > 0) {
    bad++
    for (
      const x of new Set(
        c.map((x) =>
          x.split(":")[0] + ":" + x.replace(/1-[0-9a-f-]+/g, "ID").replace(/\d+/g, "N").split(":").slice(1).join()
        )
      )
    ) (kinds[x] ??= []).push(`${s}: ${c.find((y) => y.startsWith(x.split(":")[0]!))}`)
  }
}
for (const [k, v] of Object.entries(kinds))
  console.log(
    v.length,
    k.slice(0, 150),
    "\n     ",
    v.slice(0, 3).map((x) => x.slice(0, 200)).join("\n      ")
  )
const u = process.cpuUsage(c0)
console.log("bad", bad, "per cpu s", (to - from + 1) / ((u.user + u.system) / 1e6))
