import * as Ports from "#test/support/Ports.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Process from "./Process.ts"
import { pairwise, rounds, spread } from "./Ratio.ts"
import { atLeast, type Line, type Question } from "./Report.ts"

const peerFile = (name: string) => fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

const withVendor = async <A>(
  key: string,
  use: (env: Readonly<Record<string, string>>) => Promise<A>
): Promise<A> => {
  const port = await Ports.free()
  const env = { BENCH_VENDOR: key, BENCH_PORT: String(port) }
  const server: ChildProcess = spawn(process.execPath, [peerFile("VendorServer")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const kill = () => server.kill("SIGKILL")
  process.once("exit", kill)
  try {
    for (let tries = 0; !await listens(port); tries++) {
      if (server.exitCode !== null || tries === 500) throw new Error(`the scripted ${key} does not answer`)
      await sleep(20)
    }
    return await use(env)
  } finally {
    process.off("exit", kill)
    const gone = once(server, "exit")
    kill()
    await gone
  }
}

/**
 * How many messages a second does each HTTP provider hand over, beside a bare loop of effect/http's client that repeats
 * that provider's own requests to the same server?
 */
export const providers: Question = async (quick) => {
  const lines: Array<Line> = []
  for (const { entry: { key } } of Rows.all) {
    lines.push(
      ...await withVendor(key, async (vendor) => {
        const env = { ...vendor, BENCH_MESSAGES: String(quick ? 300 : 6000) }
        const rate = (peer: string) => async () => {
          const { rate } = await Process.answer(peerFile(peer), env) as { readonly rate: number }
          return rate
        }
        const rates = await rounds(quick ? 1 : 3, { ours: rate("VendorProvider"), bare: rate("VendorBare") })
        const ours = spread(rates.ours)
        const ratio = pairwise(rates.ours, rates.bare)
        return [
          { question: "providers", what: key, value: ours.median, unit: "/s", spread: ours },
          {
            question: "providers",
            what: `${key}, ratio to a bare client`,
            value: ratio.median,
            unit: "×",
            spread: ratio,
            goal: atLeast(ratio.median, 0.8)
          }
        ] satisfies ReadonlyArray<Line>
      })
    )
  }
  return lines
}
