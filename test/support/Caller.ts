import { Agent } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { apiKey } from "./CrashProcess.ts"
import { type Answer, exchange } from "./Exchange.ts"

export interface Caller {
  /** One try; `undefined` when no whole answer came. */
  readonly call: (
    method: string,
    path: string,
    options?: { readonly key?: string; readonly body?: unknown }
  ) => Promise<Answer | undefined>
  /** A POST until there is an answer that is not "later": what a careful caller does with its idempotency key. */
  readonly insist: (path: string, key: string, body: unknown) => Promise<Answer>
  readonly close: () => void
}

/** "Nothing ran, or it still runs": 503, and 409 for a key in flight. */
const isLater = (answer: Answer): boolean =>
  answer.status === 503 || (answer.status === 409 && answer.headers["retry-after"] !== undefined)

/** A client of the API on this port, whatever becomes of the server behind it. */
export const make = (port: number, connections = 32): Caller => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const call: Caller["call"] = (method, path, { body, key } = {}) =>
    exchange(agent, {
      port,
      method,
      path,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      body: body === undefined ? "" : JSON.stringify(body),
      patience: 20_000
    }).catch(() => undefined)
  return {
    call,
    insist: async (path, key, body) => {
      for (const began = performance.now(); performance.now() - began < 120_000; await sleep(25 + Math.random() * 50)) {
        const answer = await call("POST", path, { key, body })
        if (answer !== undefined && !isLater(answer)) return answer
      }
      throw new Error(`no answer to ${path} with key ${key} in two minutes`)
    },
    close: () => agent.destroy()
  }
}

/** A body of POST /send to the address `<name>@example.com`. */
export const toEmail = (name: string, more: object = {}) => ({
  message: { to: { email: `${name}@example.com` }, content: { title: "Hello", body: "Hi" }, ...more }
})
