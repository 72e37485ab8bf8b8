import * as One from "#test/certify/One.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import * as Ledger from "#test/support/Ledger.ts"
import { setTimeout as sleep } from "node:timers/promises"

/** Sends whose call ends the worker that makes it. */
const deadly = 4

const longestTakeOver = 10_000

/**
 * One machine with two workers: calls end single workers in the middle of their work, and after that the whole process is killed with all of
 * them, again and again. What a worker held goes on in the others.
 */
export const workers: Scenario = (setting) => {
  if (setting.storage === "embedded")
    return Promise.resolve({ scenario: setting.name, skipped: "workers need Postgres" })
  return at(setting, async (place) => {
    let kills = 0
    let sent = 0
    /** Which of the deadly sends were carried to their end. */
    const over = () => Ledger.ended(place.ledger).filter(({ to }) => to.startsWith("point-worker-"))
    const deaths = () => over().filter(({ attempt }) => attempt > 1).length
    const verdict = await One.run(
      setting.name,
      place,
      setting.perSecond,
      async ({ again, probe, process, recovered, within }) => {
        const began = performance.now()
        while (kills === 0 || performance.now() - began < setting.seconds * 1_000) {
          const keys = Array.from({ length: deadly }, (_, n) => `point-worker-${kills}-${n}`)
          await Promise.all(keys.map(probe))
          const dead = performance.now()
          while (over().length < sent + deadly && performance.now() - dead < 60_000) await sleep(50)
          sent += deadly
          const takeOver = performance.now() - dead
          recovered(takeOver)
          within(longestTakeOver, takeOver, "what dead workers held went on")
          await sleep(Math.random() * 1_000)
          await process().kill()
          kills++
          recovered(await again())
        }
      },
      { environment: { TIDINGS_WORKERS: "2" } }
    )
    return {
      ...verdict,
      note: `${deaths()} ends of workers, ${kills} kills`,
      breaches: [...verdict.breaches, ...(deaths() > 0 ? [] : ["no worker was ended"])]
    }
  })
}
