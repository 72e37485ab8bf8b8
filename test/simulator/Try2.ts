import * as Simulation from "#layers/testing/Simulation.ts"
import { story, options } from "./Story.ts"
const seed = Number(process.argv[2])
const h = Simulation.run(seed, story, options(seed))
console.log(h.drained, h.failure, h.lasted, h.incidents.filter((i) => i.kind !== "lostAnswer"))
for (const m of h.messages)
  if (process.argv[3] ? m.id === process.argv[3] : m.dueAt !== undefined) {
    console.log(
      m.id,
      m.status,
      "due",
      m.dueAt,
      "tries",
      m.tries,
      "seq",
      m.seq,
      "shard",
      m.shard,
      m.recipientKey,
      m.instructions
    )
    console.log(m.attempts.map((a) => JSON.stringify(a)).join("\n"))
    console.log(h.commits.filter((c) => c.messageId === m.id).slice(-25).map((c) => JSON.stringify(c)).join("\n"))
    console.log(
      h.calls.filter((c) => c.messageId === m.id).map((c) => JSON.stringify({ ...c, text: undefined })).join("\n"),
      h.cancellations.filter((c) => c.messageId === m.id),
      h.reports.filter((c) => c.messageId === m.id),
      h.requests.filter((r) => r.requestId === m.requestId).map((r) => JSON.stringify(r.tries))
    )
  }
console.log(h.logs.filter((l) => l.level !== "Warn").slice(0, 20))
