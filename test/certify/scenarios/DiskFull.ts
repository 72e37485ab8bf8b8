import * as One from "#test/certify/One.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { execFileSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const quietly = { stdio: "ignore" } as const

/** Takes all the room that is left. */
const fill = (path: string): void => {
  const file = openSync(path, "w")
  const block = Buffer.alloc(64 * 1024)
  try {
    for (;;) writeSync(file, block)
  } catch {
    // Full.
  } finally {
    closeSync(file)
  }
}

/** The disk is full for a while: 503 meanwhile, and everything again when there is room; a server that ended of it is started anew. */
export const diskFull: Scenario = (setting) =>
  at(setting, async (place) => {
    const directory = join(place.directory, "small")
    mkdirSync(directory)
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256m", "none", directory], quietly)
    } catch {
      return { scenario: setting.name, skipped: "no tmpfs can be mounted here" }
    }
    try {
      const small = { ...place, directory, store: Embedded.layer({ dataDir: directory, durability: "process" }) }
      return await One.run(
        setting.name,
        small,
        setting.perSecond,
        async ({ again, breach, caller, probe, process, recovered, within }) => {
          await sleep(2_000)
          const filler = join(directory, "filler")
          fill(filler)
          const life = { ended: false }
          void process().ended.then(() => {
            life.ended = true
          })
          const began = performance.now()
          while (performance.now() - began < Math.max(5_000, setting.seconds * 500) && !life.ended) {
            const asked = performance.now()
            const answer = await probe("full")
            within(4_000, performance.now() - asked, "an answer on a full disk")
            if (answer !== undefined && answer.status !== 503 && answer.status !== 202)
              breach(`${answer.status} on a full disk`)
            await sleep(200)
          }
          rmSync(filler)
          const freed = performance.now()
          if (life.ended)
            await again()
          while ((await caller.call("GET", "/health/ready"))?.status !== 200 && performance.now() - freed < 60_000)
            await sleep(50)
          recovered(performance.now() - freed)
          within(10_000, performance.now() - freed, "serving again, with room on the disk")
        }
      )
    } finally {
      execFileSync("umount", ["-l", directory], quietly)
    }
  })
