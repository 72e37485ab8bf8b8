import * as One from "#test/certify/One.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import { setTimeout as sleep } from "node:timers/promises"

/** The process stands still for some seconds, again and again, and goes on as if nothing had been. */
export const frozen: Scenario = (setting) =>
  at(setting, async (place) => {
    let times = 0
    const verdict = await One.run(setting.name, place, setting.perSecond, async ({ caller, process, recovered }) => {
      const began = performance.now()
      while (times === 0 || performance.now() - began < setting.seconds * 1_000) {
        await sleep(1_000)
        process().signal("SIGSTOP")
        await sleep(1_000 + Math.random() * 4_000)
        process().signal("SIGCONT")
        const woken = performance.now()
        while ((await caller.call("GET", "/health/ready"))?.status !== 200 && performance.now() - woken < 30_000) {
          await sleep(50)
        }
        recovered(performance.now() - woken)
        times++
      }
    })
    return { ...verdict, note: `${times} freezes` }
  })
