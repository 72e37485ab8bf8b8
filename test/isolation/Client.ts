import { type Answer, exchange } from "#test/support/Exchange.ts"
import { untilServed } from "#test/support/Later.ts"
import { Effect } from "effect"
import { Agent } from "node:http"

export interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/** Calls the server on this port with one API key. */
export type Client = (call: Call) => Effect.Effect<Answer>

export const make = (port: number, apiKey: string): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  return ({ body, idempotencyKey, method, path }) =>
    Effect.promise(() =>
      exchange(agent, {
        port,
        method,
        path,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
        },
        body: body === undefined ? "" : JSON.stringify(body)
      })
    ).pipe(untilServed)
}
