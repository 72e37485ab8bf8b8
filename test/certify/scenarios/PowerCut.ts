import * as One from "#test/certify/One.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import * as Embedded from "#layers/postgres/embedded/Embedded.ts"
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const size = 512 * 1024 * 1024

const quietly = { stdio: "ignore" } as const

const mount = (image: string, directory: string): void => {
  mkdirSync(directory, { recursive: true })
  execFileSync("mount", ["-o", "loop", image, directory], quietly)
}

const unmount = (directory: string): void => void execFileSync("umount", ["-l", directory], quietly)

/** A file system in a file. */
const made = (image: string): void => {
  writeFileSync(image, "")
  truncateSync(image, size)
  execFileSync("mkfs.ext4", ["-q", image], quietly)
}

/** Why no file system can be mounted here; `undefined` if one can. */
const obstacle = (directory: string): string | undefined => {
  try {
    const image = join(directory, "probe")
    made(image)
    mount(image, join(directory, "probed"))
    unmount(join(directory, "probed"))
    return undefined
  } catch (error) {
    return `no loop-mounted file system here: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`
  }
}

/**
 * The power goes: the server stands still, and what the disk holds at that instant, without what only the kernel knows, is copied. A new
 * server starts on the copy.
 */
export const powerCut: Scenario = (setting) =>
  at(setting, async (place) => {
    const why = setting.storage === "embedded" ? obstacle(place.directory) : "the operator's Postgres has its own disk"
    if (why !== undefined) return { scenario: setting.name, skipped: why }
    const mounted: Array<string> = []
    const disk = (n: number) => ({
      image: join(place.directory, `disk-${n}`),
      directory: join(place.directory, `on-${n}`)
    })
    const on = (n: number) => {
      const { directory, image } = disk(n)
      mount(image, directory)
      mounted.push(directory)
      return { ...place, directory, store: Embedded.layer({ dataDir: directory, durability: "process" }) }
    }
    try {
      made(disk(0).image)
      let cuts = 0
      const first = on(0)
      const verdict = await One.run(setting.name, first, setting.perSecond, async ({ again, process, recovered }) => {
        const began = performance.now()
        let last = first
        while (cuts === 0 || performance.now() - began < setting.seconds * 1_000) {
          await sleep(1_000 + Math.random() * 2_000)
          process().signal("SIGSTOP")
          copyFileSync(disk(cuts).image, disk(cuts + 1).image)
          cuts++
          await process().kill()
          last = on(cuts)
          recovered(await again(last))
        }
        return last
      }, { environment: { TIDINGS_DURABILITY: "disk" } })
      return { ...verdict, note: `${cuts} cuts` }
    } finally {
      for (const directory of mounted) unmount(directory)
    }
  })
