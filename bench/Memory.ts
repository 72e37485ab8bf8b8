import { setTimeout as sleep } from "node:timers/promises"
import * as Database from "./Database.ts"
import * as Inspector from "./Inspector.ts"
import * as Load from "./Load.ts"
import { residentBytes } from "./Proc.ts"
import { atMost, type Line, type Question } from "./Report.ts"
import * as Target from "./Target.ts"

const kilobyte = 1000
const megabyte = 1e6

const send = async (target: Target.Target, requests: number, recipients: number, first = 0) => {
  const before = await target.settled()
  const { apiKey, url } = target
  Target.sound("Tidings", await Load.run({ url, apiKey, clients: 64, requests, recipients, first }))
  await Target.untilSettled(target, before + requests)
}

const attached = async <A>(use: (target: Target.Target, inspector: Inspector.Inspector) => Promise<A>): Promise<A> =>
  Database.withDatabase(async (database) => {
    // Recipients live in the engine's thread, and the inspector looks into the server's: here they are one.
    const target = await Target.tidings({ database }, ["--inspect=127.0.0.1:0"], { TIDINGS_WORKERS: "0" })
    try {
      const inspector = await Inspector.attach(target.output(), Target.serverFile)
      try {
        return await use(target, inspector)
      } finally {
        inspector.close()
      }
    } finally {
      await target.stop()
    }
  })

/** The memory that one idle recipient keeps: the growth after many recipients got one message each. */
const perActor = (recipients: number) =>
  attached(async (target, inspector): Promise<ReadonlyArray<Line>> => {
    const look = async () => {
      const heap = await inspector.heapBytes()
      const resident = residentBytes(target.pid)
      return { heap, resident, fibers: await inspector.fibers() }
    }
    // Warms up code and pools, which are not part of an actor: these few recipients are not counted.
    await send(target, 2000, 100, 90_000_000)
    const before = await look()
    await send(target, recipients, recipients)
    const after = await look()
    const fibers = after.fibers - before.fibers
    const each = (bytes: number) => bytes / recipients / kilobyte
    const heap = each(after.heap - before.heap)
    // An actor ends with its last message, so this measures whatever is still kept for an idle recipient.
    const note = `${recipients.toLocaleString("en")} recipients got a message each; ${
      fibers.toLocaleString("en")
    } fibers more than before`
    return [
      { question: "memory", what: "heap per idle actor", value: heap, unit: "kB", goal: atMost(heap, 4), note },
      {
        question: "memory",
        what: "RSS per idle actor",
        value: each(after.resident - before.resident),
        unit: "kB",
        note
      }
    ]
  })

/** Is memory given back when a burst is over? */
const afterBurst = (messages: number, quietSeconds: number) =>
  attached(async (target, inspector): Promise<ReadonlyArray<Line>> => {
    await send(target, Math.ceil(messages / 10), 5000)
    await inspector.collectGarbage()
    const before = residentBytes(target.pid)
    await send(target, messages, 5000)
    const peak = residentBytes(target.pid)
    await sleep(quietSeconds * 1000)
    const untouched = residentBytes(target.pid)
    await inspector.collectGarbage()
    const ratio = residentBytes(target.pid) / before
    return [{
      question: "memory",
      what: `RSS after ${messages.toLocaleString("en")} messages to before`,
      value: ratio,
      unit: "×",
      goal: atMost(ratio, 1.2),
      note: `before ${Math.round(before / megabyte)} MB, at the end ${Math.round(peak / megabyte)} MB, `
        + `${quietSeconds} s later ${Math.round(untouched / megabyte)} MB, then collected`
    }]
  })

/** What does an idle recipient cost in memory, and how much stays behind after a burst? */
export const memory: Question = async (quick) => [
  ...await perActor(quick ? 5000 : 100_000),
  ...await afterBurst(quick ? 5000 : 200_000, quick ? 2 : 60)
]
