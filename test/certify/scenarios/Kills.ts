import type { Killed } from "#test/certify/Checks.ts"
import * as One from "#test/certify/One.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import { setTimeout as sleep } from "node:timers/promises"

/** kill -9 at random instants under load, for as long as there is time, or as often and as long as the options of the command say. */
export const kills = (least: { readonly sends: number; readonly kills: number }): Scenario => (setting) =>
  at(setting, async (place) => {
    const kills: Array<Killed> = []
    const verdict = await One.run(
      setting.name,
      place,
      setting.perSecond,
      async ({ again, killed, load, process, recovered }) => {
        const began = performance.now()
        const isOver = () =>
          performance.now() - began > setting.seconds * 1_000 && kills.length >= least.kills &&
          load.accepted() >= least.sends
        // Kills spread over the sends that are asked for.
        const share = least.kills === 0 ? 0 : least.sends / least.kills
        while (!isOver()) {
          await load.reached(kills.length >= least.kills ? 0 : share * kills.length)
          await sleep(300 + Math.random() * 2_000)
          if (least.kills > 0 && kills.length >= least.kills) continue
          kills.push({ pid: process().pid, at: Date.now() })
          await process().kill()
          recovered(await again())
        }
        killed(kills)
      }
    )
    return { ...verdict, note: `${kills.length} kills` }
  })
