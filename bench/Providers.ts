import * as Ports from "#test/support/Ports.ts"
import * as Rows from "#test/layers/providers/rows/All.ts"
import { spawn } from "node:child_process"
import { connect } from "node:net"
import * as Process from "./Process.ts"
import { rounds } from "./Ratio.ts"
import { type Line, measured, type Question, ratio } from "./Report.ts"

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
  const server = spawn(process.execPath, [Process.peerFile("VendorServer")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"]
  })
  return Process.during(`scripted ${key}`, server, () => listens(port), () => use(env))
}

/**
 * How many messages a second does each HTTP provider hand over, beside a bare loop of effect/http's client that repeats
 * that provider's own requests to the same server?
 */
export const providers: Question = async (quick) => {
  const lines: Array<Line> = []
  for (const { entry: { key } } of Rows.all) {
    const rates = await withVendor(key, (vendor) => {
      const env = { ...vendor, BENCH_MESSAGES: String(quick ? 300 : 6000) }
      const rate = (peer: string) => () => Process.rate(Process.peerFile(peer), env)
      return rounds(quick ? 1 : 3, { ours: rate("VendorProvider"), bare: rate("VendorBare") })
    })
    lines.push(
      measured("providers", key, rates.ours),
      ratio("providers", `${key}, ratio to a bare client`, rates.ours, rates.bare, 0.8)
    )
  }
  return lines
}
