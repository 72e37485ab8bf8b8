import { type Agent, request } from "node:http"

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/**
 * Sends one request to this machine over a connection of the agent. Rejects if no whole answer comes, or nothing for
 * `patience` ms.
 */
export const exchange = (
  agent: Agent,
  { body, headers, patience, ...place }: {
    readonly port: number
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | undefined
    readonly patience?: number
  }
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request({
      host: "127.0.0.1",
      ...place,
      agent,
      ...(patience === undefined ? {} : { timeout: patience }),
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) }
    }, (response) => {
      let received = ""
      response.setEncoding("utf8").on("data", (part: string) => received += part)
      response.on("end", () =>
        response.complete
          ? resolve({ status: response.statusCode ?? 0, body: received, headers: response.headers })
          : reject(new Error("the answer was cut off")))
      response.on("error", reject)
    })
    asked.on("timeout", () => asked.destroy(new Error("no answer in time"))).on("error", reject).end(body)
  })
