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
const enough = 100
const longest = 30
/** Milliseconds of a load's beginning that are not counted, as its end is not: it is the load that goes on that is promised for. */
const settling = 1_000
/** Of ten times what it can take, so much is really offered and answered, at least. */
const leastOffered = 5
/** Milliseconds in which a refusal is answered. */
const atOnce = 2_500
/** Times that it is overloaded. */
const turns = 2
const maxResident = 1024 * 1024 * 1024

const body = JSON.stringify({
  message: {
    to: Array.from({ length: recipients }, (_, n) => ({ email: `burst-${placeholder}-${n}@example.com` })),
    content: { title: "Hello", body: "Hi" }
  }
})

/** Posts accepted: in a second that the server had a processor for, and in one of the clock's, over so many of these; and posts answered. */
interface Rate {
  readonly served: number
  readonly perSecond: number
  readonly answered: number
  readonly seconds: number
}

const mean = (rates: ReadonlyArray<Rate>): number => rates.reduce((sum, rate) => sum + rate.served, 0) / rates.length

const residentBytes = (pid: number): number => {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return Number(kilobytes ?? 0) * 1_024
}

/** Ten times what the server can take is offered: it takes nearly as much as before in the time it gets, refuses the rest at once, and its memory stays. */
export const overload: Scenario = (setting) =>
  at(setting, async (place) => {
    let note = ""
    const least = Math.min(30, Math.max(5, setting.seconds / 3))
    const verdict = await One.run(setting.name, place, 5, async ({ breach, crowd, process, within }) => {
      const burst = Burst.make(place.port, "/send", body, 4_096)
      let accepted = 0
      let unanswered = 0
      const requests: Array<string> = []
      const refusals: Array<number> = []
      let resident = 0
      const post = async () => {
        const answer = await burst.post()
        if (answer === undefined) unanswered++
        else if (answer.status === 202) {
          accepted++
          requests.push(/"requestId":"([^"]+)"/.exec(answer.text)?.[1] ?? "none")
        } else if (answer.status !== 503) breach(`${answer.status} under overload`)
        else if (!/^retry-after: \d+\r$/im.test(answer.text)) breach("a refusal without Retry-After")
        else refusals.push(answer.millis)
      }
      /** What is accepted while `isOver` is not true, in a second that the server had a processor for; the load that it is under goes on before and after. */
      const counted = async (isOver: (seconds: number, accepted: number) => boolean): Promise<Rate> => {
        await sleep(settling)
        const before = accepted
        const refused = refusals.length
        const from = performance.now()
        const served = Machine.secondsFromNow(process().pid)
        const seconds = () => (performance.now() - from) / 1_000
        while (!isOver(seconds(), accepted - before)) await sleep(10)
        return {
          served: (accepted - before) / served(),
          perSecond: (accepted - before) / seconds(),
          answered: (accepted - before + refusals.length - refused) / seconds(),
          seconds: seconds()
        }
      }
      /** What sixteen clients that wait for their answers get through. */
      const alone = async (): Promise<Rate> => {
        const time = new AbortController()
        const caller = async () => {
          while (!time.signal.aborted) await post()
        }
        const callers = Array.from({ length: 16 }, caller)
        const rate = await counted((seconds, accepted) => seconds > longest || (seconds > least && accepted >= enough))
        time.abort()
        await Promise.all(callers)
        return rate
      }
      /** What it gets through while ten times as much is offered, for as long. */
      const overloaded = async (capacity: Rate): Promise<Rate> => {
        const time = new AbortController()
        const offers: Array<Promise<void>> = []
        const offer = async () => {
          const began = performance.now()
          for (let offered = 0; !time.signal.aborted; await sleep(10)) {
            const due = (performance.now() - began) / 1_000 * capacity.perSecond * 10
            for (; offered < due; offered++) offers.push(post())
            resident = Math.max(resident, residentBytes(process().pid))
          }
        }
        const offering = offer()
        const rate = await counted((seconds) => seconds > capacity.seconds)
        time.abort()
        await offering
        await Promise.all(offers)
        return rate
      }

      // Turn by turn, and the last alone: what was accepted before is delivered beside, and the more of it waits, the less is left for accepting.
      let last = await alone()
      const capacities = [last]
      const goodputs: Array<Rate> = []
      let offered = Infinity
      for (let turn = 0; turn < turns; turn++) {
        const rate = await overloaded(last)
        offered = Math.min(offered, rate.answered / last.perSecond)
        goodputs.push(rate)
        last = await alone()
        capacities.push(last)
      }
      const capacity = mean(capacities)
      const goodput = mean(goodputs)
      burst.close()
      crowd({ prefix: "burst-", requests, each: recipients })
      const slowest = refusals.toSorted((a, b) => a - b)[Math.floor(refusals.length * 0.99)] ?? 0
      note = `capacity ${Math.round(capacity * recipients)}/s, goodput ${Math.round(goodput * recipients)}/s, ` +
        `${Math.round(resident / 1_048_576)} MB, ${offered.toFixed(1)} × offered, 99 % refused within ${
          Math.round(slowest)
        } ms`
      if (unanswered > 0) breach(`${unanswered} without an answer in 20 s`)
      if (offered < leastOffered) breach(`only ${offered.toFixed(1)} times what it takes was offered and answered`)
      within(atOnce, slowest, "a refusal under overload")
      if (goodput < 0.9 * capacity) breach(`goodput ${goodput.toFixed(1)}/s of ${capacity.toFixed(1)}/s`)
      if (resident > maxResident) breach(`${Math.round(resident / 1_048_576)} MB resident`)
    })
    return { ...verdict, note }
  })
