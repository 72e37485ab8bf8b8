import * as Ports from "#test/support/Ports.ts"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { setTimeout as sleep } from "node:timers/promises"
import { heap } from "#layers/cli/heap.mjs"
import { resolving } from "#layers/cli/resolve.mjs"
import * as Database from "./Database.ts"
import * as Load from "./Load.ts"
import * as Process from "./Process.ts"

/** A server that takes `POST /send` and tells how many messages it has finished. */
export interface Target extends Process.Running {
  readonly url: string
  readonly apiKey: string
  /** Messages SENT (or jobs done) since the server started. */
  settled(): Promise<number>
}

const secret = "benchbenchbenchbenchbenchbenchbenchbenchbench"

/** The program that is measured. BENCH_SERVER names another one with the same interface, to compare two versions. */
export const serverFile = process.env["BENCH_SERVER"] ?? fileURLToPath(new URL("Server.ts", import.meta.url))

/** The sum of a counter's samples that `label` is in, if any, on a Prometheus page; undefined if it has none. */
const counter = async (url: string, name: string, label = ""): Promise<number | undefined> => {
  const { body } = await Process.get(`${url}/metrics`)
  const found = body.split("\n").filter((line) => line.startsWith(name) && line.includes(label))
  return found.length === 0 ? undefined : found.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)
}

/** Tidings on a Postgres database, or embedded in a data directory. */
export const tidings = async (
  store: { readonly database: Database.Database } | { readonly directory: string },
  nodeArguments: ReadonlyArray<string> = [],
  more: Readonly<Record<string, string>> = {},
  file: string = serverFile
): Promise<Target> => {
  if (!existsSync(file)) throw new Error(`there is no server to measure: ${file}`)
  const port = await Ports.free()
  const url = `http://127.0.0.1:${port}`
  const database = "database" in store ? store.database : undefined
  const running = await Process.serve({
    file,
    readyUrl: `${url}/health/ready`,
    nodeArguments: [...heap, ...resolving, ...nodeArguments],
    env: {
      PORT: String(port),
      DATABASE_URL: database?.url,
      TIDINGS_DATA_DIR: "directory" in store ? store.directory : Process.scratchPath("data"),
      TIDINGS_BOOTSTRAP_SECRET: secret,
      TIDINGS_SECRET_KEY: Buffer.alloc(32, "bench").toString("base64"),
      TIDINGS_CLUSTER_HOST: "127.0.0.1",
      TIDINGS_CLUSTER_PORT: String(await Ports.free(3)),
      ...more
    }
  })
  return {
    ...running,
    url,
    apiKey: `pk_prod_${secret}`,
    settled: async () =>
      await counter(url, "tidings_messages_settled_total{", `status="SENT"`)
        ?? await database?.count("select count(*) from messages where status = 'SENT'")
        ?? 0
  }
}

/** A peer that is called over HTTP, with the options that `npm start` gives Node for us: it is made of the same HTTP code. */
export const endpoint = async (
  name: "BareEndpoint" | "BullMqEndpoint" | "PgBossEndpoint" | "ReadsEndpoint",
  env: Readonly<Record<string, string>> = {}
): Promise<Target> => {
  const port = await Ports.free()
  const url = `http://127.0.0.1:${port}`
  const running = await Process.serve({
    file: Process.peerFile(name),
    readyUrl: `${url}/health/ready`,
    nodeArguments: heap,
    env: { ...env, PORT: String(port) }
  })
  return { ...running, url, apiKey: "none", settled: async () => await counter(url, "jobs_completed_total") ?? 0 }
}

/** Jobs per second of a peer that adds and works off its own jobs, from the first add to the last completion. */
export const jobsPerSecond = (
  name: "BullMqBulk" | "BullMqPlain" | "GraphileWorker" | "PgBossPlain",
  env: Readonly<Record<string, string>>
): Promise<number> => Process.rate(Process.peerFile(name), env)

/** Waits until `wanted` messages are settled; fails when none settles for 30 s. Resolves to the epoch milliseconds. */
export const untilSettled = async (target: Target, wanted: number): Promise<number> => {
  let last = await target.settled()
  for (let moved = performance.now(); last < wanted;) {
    if (performance.now() - moved > 30_000) {
      throw new Error(`${last} of ${wanted} messages settled, then nothing:\n${target.output().slice(-2000)}`)
    }
    // Each question costs the server: ask rarely while much is left, and often enough near the end.
    await sleep(Math.min(Math.max((wanted - last) / 20, 50), 1_000))
    const now = await target.settled()
    if (now !== last) moved = performance.now()
    last = now
  }
  return performance.timeOrigin + performance.now()
}

/** Fails a run with failed requests: a refused request is no throughput. */
export const sound = (name: string, result: Load.Result): Load.Result => {
  if (result.errors === 0) return result
  throw new Error(`${name}: ${result.errors} of ${result.errors + result.ok} requests failed: ${result.firstError}`)
}

/** Messages per second from the first POST until the last of them is settled. */
export const sendsPerSecond = async (name: string, target: Target, requests: number): Promise<number> => {
  await Database.checkpoint()
  const before = await target.settled()
  const { apiKey, url } = target
  const load = sound(name, await Load.run({ url, apiKey, clients: 64, requests, recipients: 5000 }))
  return requests / ((await untilSettled(target, before + requests) - load.startedAt) / 1_000)
}
