import * as One from "#test/certify/One.ts"
import * as Machine from "#test/certify/Machine.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import * as Burst from "#test/support/Burst.ts"
import { placeholder } from "#test/support/NumberedRequest.ts"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** Messages of one POST: so many that a generator beside the server can offer ten times what it takes. */
const recipients = 100
/** Posts that a rate is made of, at least: on a busy machine an embedded store takes ten of them in a second. It has so many seconds for it. */
const enough = 200
const longest = 30
const maxResident = 1024 * 1024 * 1024

const body = JSON.stringify({
  message: {
    to: Array.from({ length: recipients }, (_, n) => ({ email: `burst-${placeholder}-${n}@example.com` })),
    content: { title: "Hello", body: "Hi" }
  }
})

const residentBytes = (pid: number): number => {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(kilobytes ?? 0) * 1_024
}

/** Ten times what the server can take is offered: it takes nearly as much as before in the time it gets, refuses the rest at once, and its memory stays. */
export const overload: Scenario = (setting) =>
  at(setting, async (place) => {
    let note = ""
    const least = Math.min(30, Math.max(5, setting.seconds / 3))
    const verdict = await One.run(setting.name, place, 5, async ({ breach, crowd, process }) => {
      const burst = Burst.make(place.port, "/send", body, 512)
      let accepted = 0
      let all = 0
      let unanswered = 0
      const post = async () => {
        const status = await burst.post()
        if (status === 202) {
          accepted++
          all++
        } else if (status === undefined) unanswered++
        else if (status !== 503) breach(`${status} under overload`)
      }
      const closed = async (isOver: (seconds: number) => boolean): Promise<void> => {
        for (const from = performance.now(); !isOver((performance.now() - from) / 1_000);) await post()
      }
      /** What sixteen clients that wait for their answers get through, in a second and in one that the server had a processor for. */
      const measured = async () => {
        accepted = 0
        const from = performance.now()
        const served = Machine.secondsFromNow(process().pid)
        await Promise.all(Array.from({ length: 16 }, () =>
          closed((seconds) =>
            seconds > longest || (seconds > least && accepted >= enough)
          )))
        const seconds = (performance.now() - from) / 1_000
        return { served: accepted / served(), perSecond: accepted / seconds, seconds }
      }
      await closed((seconds) =>
        seconds > 1
      )
      const before = await measured()
      accepted = 0

      let resident = 0
      const under: Array<Promise<void>> = []
      const began = performance.now()
      const servedUnder = Machine.secondsFromNow(process().pid)
      for (let offered = 0; performance.now() - began < before.seconds * 1_000; await sleep(10)) {
        const due = (performance.now() - began) / 1_000 * before.perSecond * 10
        for (; offered < due; offered++) under.push(post())
        resident = Math.max(resident, residentBytes(process().pid))
      }
      // Until the last has its answer: as long as some wait, there is more than the server can take.
      await Promise.all(under)
      const goodput = accepted / servedUnder()
      // What was accepted before is delivered beside: the more of it waits, the less is left for accepting, overload or not.
      const capacity = (before.served + (await measured()).served) / 2
      burst.close()
      crowd("burst-", all * recipients)
      note = `capacity ${Math.round(capacity * recipients)}/s, goodput ${Math.round(goodput * recipients)}/s, ` +
        `${Math.round(resident / 1_048_576)} MB` + (unanswered === 0 ? "" : `, ${unanswered} without an answer in 20 s`)
      if (goodput < 0.9 * capacity) breach(`goodput ${goodput.toFixed(1)}/s of ${capacity.toFixed(1)}/s`)
      if (resident > maxResident) breach(`${Math.round(resident / 1_048_576)} MB resident`)
    })
    return { ...verdict, note }
  })
