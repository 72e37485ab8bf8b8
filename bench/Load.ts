import * as NumberedRequest from "#test/support/NumberedRequest.ts"
import { spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import { fileURLToPath } from "node:url"

/**
 * What one closed-loop run asks for: each client sends its next request when it has the whole answer to the last one.
 */
export interface Options {
  readonly url: string
  readonly apiKey: string
  readonly clients: number
  /** Stop after this many requests, or when `seconds` have passed: exactly one of the two is given. */
  readonly requests?: number
  readonly seconds?: number
  /** Requests go round this many recipients, starting at number `first`. */
  readonly recipients: number
  readonly first?: number
  /** Milliseconds of `message.delay.duration`: with a long delay, the engine has nothing to do. */
  readonly delay?: number
  /** GET this path in place of `POST /send`; `########` in it stands for the recipient's number. */
  readonly get?: string
}

/** What a run saw. Latencies are milliseconds; `startedAt` is epoch milliseconds of the first request. */
export interface Result {
  readonly ok: number
  readonly errors: number
  readonly firstError: string | undefined
  readonly startedAt: number
  readonly seconds: number
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** The share of one core that this generator used. Near 1, the run measures the generator. */
  readonly cpu: number
}

/** The JSON body of `POST /send`, with the recipient's number left open. */
export const bodyOf = (recipient: string, delay?: number): string =>
  JSON.stringify({
    message: {
      to: { user_id: `user-${recipient}`, email: `user-${recipient}@example.com` },
      content: { title: "Hi", body: "Hello {{name}}" },
      data: { name: "Ada", order: { id: "A-1", items: [{ sku: "x", qty: 2 }, { sku: "y", qty: 1 }] } },
      routing: { method: "single", channels: ["email"] },
      ...(delay === undefined ? {} : { delay: { duration: delay } })
    }
  })

const requestOf = (options: Options): NumberedRequest.NumberedRequest => {
  const common = { host: new URL(options.url).host, apiKey: options.apiKey }
  return options.get === undefined
    ? NumberedRequest.make("POST", "/send", { ...common, json: bodyOf(NumberedRequest.placeholder, options.delay) })
    : NumberedRequest.make("GET", options.get, common)
}

const percentile = (sorted: Float64Array, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const generate = async (options: Options): Promise<Result> => {
  const template = requestOf(options)
  const { hostname, port } = new URL(options.url)
  const wanted = options.get === undefined ? "202" : "200"
  const limit = options.requests ?? Number.POSITIVE_INFINITY
  const latencies: Array<number> = []
  let next = 0
  let errors = 0
  let firstError: string | undefined

  const failed = (reason: string) => {
    errors++
    firstError ??= reason.slice(0, 300)
  }
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => {
        socket.removeAllListeners("error")
        resolve(socket)
      })
      socket.once("error", reject)
    })
  const sockets = await Promise.all(Array.from({ length: options.clients }, open))

  const startedAt = performance.timeOrigin + performance.now()
  const begin = performance.now()
  const deadline = begin + (options.seconds ?? Number.POSITIVE_INFINITY) * 1000
  const cpuBefore = process.cpuUsage()

  const client = (socket: Socket) =>
    new Promise<void>((resolve) => {
      const request = NumberedRequest.copy(template)
      let sentAt = 0
      let pending = ""
      let waiting = false
      const send = () => {
        sentAt = performance.now()
        if (next >= limit || sentAt >= deadline) {
          waiting = false
          socket.end()
          return resolve()
        }
        NumberedRequest.write(request, (options.first ?? 0) + next++ % options.recipients)
        waiting = true
        socket.write(request.bytes)
      }
      socket.on("data", (chunk) => {
        pending += chunk.toString("latin1")
        const length = NumberedRequest.responseLength(pending)
        if (length === undefined) return
        if (pending.startsWith(wanted, 9)) latencies.push(performance.now() - sentAt)
        else failed(pending)
        pending = pending.slice(length)
        send()
      })
      const gone = (reason: string) => {
        if (waiting) failed(reason)
        waiting = false
        resolve()
      }
      socket.on("error", (error) => gone(error.message))
      socket.on("close", () => gone("connection closed before the response"))
      send()
    })
  await Promise.all(sockets.map(client))

  const seconds = (performance.now() - begin) / 1000
  const { system, user } = process.cpuUsage(cpuBefore)
  const sorted = Float64Array.from(latencies).sort()
  return {
    ok: latencies.length,
    errors,
    firstError,
    startedAt,
    seconds,
    rate: latencies.length / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    cpu: (system + user) / 1e6 / seconds
  }
}

/** Runs the generator in a process of its own, so that it shares no event loop with what it measures. */
export const run = (options: Options): Promise<Result> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => output += text)
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(output) as Result) : reject(new Error(`the load generator ended with ${code}`)))
  })

if (import.meta.main) {
  try {
    console.log(JSON.stringify(await generate(JSON.parse(process.argv[2] ?? "{}") as Options)))
  } catch (error) {
    console.error(`the load generator: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
