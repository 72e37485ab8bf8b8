import * as Ports from "#test/support/Ports.ts"
import * as Checks from "#test/certify/Checks.ts"
import * as Load from "#test/certify/Load.ts"
import * as Machine from "#test/certify/Machine.ts"
import * as Nodes from "#test/certify/Nodes.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import * as Drain from "#test/crash/Drain.ts"
import * as Caller from "#test/support/Caller.ts"
import * as CrashProcess from "#test/support/CrashProcess.ts"
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const ip = (...args: ReadonlyArray<string>): void => void execFileSync("ip", args, { stdio: "ignore" })

/** A lock expires, and then its shard is taken over. */
const longestTakeOver = 15_000

/** A network namespace joined to this one by a pair of devices; `cut` takes the cable out. */
const network = () => {
  const number = process.pid % 200 + 20
  const [space, here, there] = [`tidings-${process.pid}`, `td${process.pid}a`, `td${process.pid}b`]
  const [outside, inside] = [`10.231.${number}.1`, `10.231.${number}.2`]
  ip("netns", "add", space)
  ip("link", "add", here, "type", "veth", "peer", "name", there)
  ip("link", "set", there, "netns", space)
  ip("addr", "add", `${outside}/24`, "dev", here)
  ip("link", "set", here, "up")
  ip("netns", "exec", space, "ip", "addr", "add", `${inside}/24`, "dev", there)
  ip("netns", "exec", space, "ip", "link", "set", there, "up")
  ip("netns", "exec", space, "ip", "link", "set", "lo", "up")
  return {
    outside,
    inside,
    prefix: ["ip", "netns", "exec", space],
    cut: () => ip("link", "set", here, "down"),
    heal: () => ip("link", "set", here, "up"),
    remove: () => {
      ip("netns", "del", space)
    }
  }
}

/** A node in a network of its own loses sight of the database and of the other node, which takes over; then the cable is plugged in again. */
export const cutOff: Scenario = (setting) => {
  const { postgres } = setting
  if (postgres === undefined)
    return Promise.resolve({ scenario: setting.name, skipped: "no Postgres server is installed" })
  let net: ReturnType<typeof network>
  try {
    net = network()
  } catch {
    return Promise.resolve({ scenario: setting.name, skipped: "no network namespace can be made here" })
  }
  return at(setting, async (place) => {
    const url = new URL(place.databaseUrl ?? "")
    url.hostname = net.outside
    const clusterPort = await Ports.free()
    const near = { ...place, directory: join(place.directory, "near") }
    const far = {
      ...place,
      directory: join(place.directory, "far"),
      databaseUrl: url.href,
      prefix: net.prefix,
      clusterPort
    }
    for (const { directory } of [near, far]) mkdirSync(directory)
    const slow = { CRASH_PROVIDER_MILLIS: "60" }
    const caller = Caller.make(near.port)
    const first: Nodes.Node = {
      place: near,
      address: `${net.outside}:${near.clusterPort}`,
      caller,
      process: CrashProcess.start(near, { ...slow, TIDINGS_CLUSTER_HOST: net.outside })
    }
    await first.process.ready()
    const second: Nodes.Node = {
      place: far,
      address: `${net.inside}:${far.clusterPort}`,
      caller,
      process: CrashProcess.start(far, { ...slow, TIDINGS_CLUSTER_HOST: net.inside })
    }
    const breaches: Array<string> = []
    const slowness = Machine.slownessFromNow()
    let slowest = 0
    let times = 0
    const both = () =>
      Nodes.until(
        first,
        (seen) => Nodes.owned(seen, second) > 0 && Nodes.owned(seen, first) > 0 && seen.unowned.length === 0
      )
    await both()
    const load = Load.start([caller], 50)
    const began = performance.now()
    while (times === 0 || performance.now() - began < setting.seconds * 1_000) {
      await sleep(1_500)
      net.cut()
      // The database learns of a silent client only by its own timers; the lock must expire.
      const millis = await Nodes.until(first, Nodes.servedWithout(second)).catch(() => Infinity)
      slowest = Math.max(slowest, millis)
      if (millis > longestTakeOver * slowness())
        breaches.push(`its shards were taken over after ${Math.round(millis)} ms`)
      await sleep(3_000)
      net.heal()
      await both()
      times++
    }
    const sent = await load.finish()
    await Drain.untilClosed(caller, 90_000).catch((error: unknown) => breaches.push(String(error)))
    await Nodes.stop([first, second])
    return Checks.verdict({
      scenario: setting.name,
      place: near,
      sent,
      slowestRecovery: slowest,
      slowness: slowness(),
      breaches: [...breaches, ...load.strange()],
      note: `${times} times`
    })
  }).finally(net.remove)
}
