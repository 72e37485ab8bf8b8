import * as Ports from "#test/support/Ports.ts"
import * as One from "#test/certify/One.ts"
import { at, type Scenario } from "#test/certify/Scenario.ts"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"

const isInstalled = (): boolean => {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const start = (port: number) =>
  spawn("redis-server", ["--port", String(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"], {
    stdio: "ignore"
  })

/** What a route answers whose calls are counted. */
const counted = new Set([200, 204, 429])

/** P8: Redis is flushed, killed and started anew. */
export const redis: Scenario = (setting) => {
  if (!isInstalled()) return Promise.resolve({ scenario: setting.name, skipped: "no redis-server is installed" })
  return at(setting, async (place) => {
    const port = await Ports.free()
    let server = start(port)
    let times = 0
    try {
      const verdict = await One.run(setting.name, place, setting.perSecond, async ({ breach, caller, within }) => {
        const began = performance.now()
        while (times === 0 || performance.now() - began < setting.seconds * 1_000) {
          await sleep(700)
          execFileSync("redis-cli", ["-p", String(port), "flushall"], { stdio: "ignore" })
          await sleep(700)
          server.kill("SIGKILL")
          await once(server, "exit")
          // One of the routes whose calls are counted in Redis.
          const asked = performance.now()
          const answer = await caller.call("PUT", "/lists/certified", { body: { name: "Certified" } })
          if (answer === undefined || !counted.has(answer.status)) breach(`${answer?.status} without Redis`)
          within(2_500, performance.now() - asked, "an answer without Redis")
          await sleep(700)
          server = start(port)
          times++
        }
      }, { environment: { REDIS_URL: `redis://127.0.0.1:${port}` } })
      return { ...verdict, note: `${times} kills of Redis` }
    } finally {
      server.kill("SIGKILL")
    }
  })
}
