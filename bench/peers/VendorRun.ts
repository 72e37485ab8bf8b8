import * as Rows from "#test/layers/providers/rows/All.ts"
import type { Row } from "#test/contracts/VendorRow.ts"

/** How many messages are in flight at once: as many as the pool has connections. */
export const inFlight = 64

/** The vendor that BENCH_VENDOR names, with its recorded exchange. */
export const row: Row = Rows.all.find(({ entry }) => entry.key === process.env["BENCH_VENDOR"]) ??
  (() => {
    throw new Error(`no such vendor: ${process.env["BENCH_VENDOR"]}`)
  })()

/** Where the scripted vendor listens. */
export const origin = `http://127.0.0.1:${process.env["BENCH_PORT"]}`

/**
 * Hands over BENCH_MESSAGES messages, `inFlight` at a time, after a tenth as many to warm up. Prints the rate, and the
 * CPU time of this process per message in µs.
 */
export const measure = async (run: (count: number) => Promise<unknown>): Promise<void> => {
  const count = Number(process.env["BENCH_MESSAGES"])
  await run(Math.ceil(count / 10))
  const before = process.cpuUsage()
  const begin = performance.now()
  await run(count)
  const seconds = (performance.now() - begin) / 1000
  const { system, user } = process.cpuUsage(before)
  console.log(JSON.stringify({ rate: count / seconds, micros: (system + user) / count }))
  process.exit(0)
}
