import * as Simulation from "#layers/testing/Simulation.ts"
import { story, options } from "./Story.ts"
import * as Checker from "./Checker.ts"
const seed = Number(process.argv[2])
const h = Simulation.run(seed, story, options(seed))
const c = Checker.complaints(h)
console.log(c)
const id = process.argv[3] ?? c[0]!.match(/1-[0-9a-f]+-[0-9a-f]+/)![0]
const m = h.messages.find((m) => m.id === id)!
console.log(h.incidents.map((i) => `${i.kind} ${i.node} ${i.at}-${i.until}`).join("; "))
console.log(m.recipientKey, m.lane, m.shard)
for (const x of h.commits.filter((c) => c.messageId === id))
  console.log(
    "  ",
    x.at,
    x.node,
    x.kind,
    `e${x.epoch}/${x.newest}`,
    x.result,
    x.attempt?.number ?? "",
    x.attempt?.state ?? "",
    `${x.before}>${x.after}`,
    x.dueAt === undefined ? "closed" : x.dueAt > 1 ? `due in ${x.dueAt - x.wall}` : "due 0",
    x.lost ? "LOST" : ""
  )
for (const x of h.calls.filter((c) => c.messageId === id))
  console.log("  call", x.calledAt, x.node, x.provider, x.attempt, x.heard, x.heardAt)
console.log(
  h.logs.filter((l) => l.text.includes(`"shard":${m.shard}`)).map((l) => l.node + " " + l.text.slice(0, 120)).slice(
    0,
    8
  )
)
