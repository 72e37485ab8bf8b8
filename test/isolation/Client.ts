import { untilServed } from "#test/support/Later.ts"
import { Effect } from "effect"
import { Agent, request } from "node:http"

/** A reply, and what of it tells one caller's world from another's. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/** Calls the server on this port with one API key. */
export type Client = (call: Call) => Effect.Effect<Reply>

export const make = (port: number, apiKey: string): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  return ({ body, idempotencyKey, method, path }) =>
    Effect.promise(() =>
      new Promise<Reply>((resolve, reject) => {
        const text = body === undefined ? "" : JSON.stringify(body)
        const asked = request({
          host: "127.0.0.1",
          port,
          method,
          path,
          agent,
          headers: {
            authorization: `Bearer ${apiKey}`,
            "content-length": Buffer.byteLength(text),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
          }
        }, (response) => {
          let received = ""
          response.setEncoding("utf8").on("data", (part: string) => received += part)
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }))
        })
        asked.on("error", reject).end(text)
      })
    ).pipe(untilServed)
}
