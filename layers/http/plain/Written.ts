import { headersOf } from "#layers/http/StoredReply.ts"
import type { Answer } from "#src/access/Idempotency.ts"
import type { Clock } from "effect"

// As NodeServer does.
const { STATUS_CODES } = process.getBuiltinModule("node:http")

/** An answer as it goes over the wire, in UTF-8. The connection ends with it, or is kept. */
export type Written = (answer: Answer, isLast: boolean) => string

/** Makes it with the headers that Node adds to an answer. `keepAlive`: ms for which a connection is kept. */
export const make = (clock: Clock.Clock, keepAlive: number): Written => {
  const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1_000)}\r\n`
  const date = { second: Number.NaN, line: "" }
  /** Of the second in which it is asked. */
  const dated = (): string => {
    const second = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
    if (second !== date.second) {
      date.second = second
      date.line = `Date: ${new Date(second * 1_000).toUTCString()}\r\n`
    }
    return date.line
  }
  return (answer, isLast) => {
    const { body, status } = answer.response
    const headers = headersOf(answer)
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`
    for (const name in headers) text += `${name}: ${headers[name] ?? ""}\r\n`
    text += `content-length: ${Buffer.byteLength(body)}\r\n`
    return `${text}${dated()}${isLast ? "Connection: close\r\n" : kept}\r\n${body}`
  }
}
