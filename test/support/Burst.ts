import { connect } from "node:net"
import { apiKey } from "./CrashProcess.ts"
import * as NumberedRequest from "./NumberedRequest.ts"

/** A whole answer, as it came, and the ms that its post was on its way over a connection. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly millis: number
}

/** Posts of one body, of which so many are on their way at once as there are connections; the others wait here. */
export interface Burst {
  /** The next post's answer; `undefined` when no whole one came in time. */
  readonly post: () => Promise<Answer | undefined>
  readonly close: () => void
}

/** Milliseconds that a caller waits for an answer. */
const patience = 20_000

type Answered = (answer: Answer | undefined) => void

interface Connection {
  readonly send: (number: number, answered: Answered) => void
  readonly close: () => void
}

/** What many callers post at once, for less than `Caller` costs: the server that is flooded shares the processors with it. */
export const make = (port: number, path: string, json: string, connections: number): Burst => {
  const template = NumberedRequest.make("POST", path, { host: `127.0.0.1:${port}`, apiKey, json })
  const waiting: Array<Answered> = []
  const idle: Array<Connection> = []
  const open = new Set<Connection>()
  let from = 0
  let next = 0

  const connection = (): Connection => {
    const request = NumberedRequest.copy(template)
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    let answered: Answered | undefined
    let received = ""
    let sentAt = 0
    const self: Connection = {
      close: () => socket.destroy(),
      send: (number, then) => {
        answered = then
        sentAt = performance.now()
        if (socket.connecting) socket.once("connect", () => sentAt = performance.now())
        NumberedRequest.write(request, number)
        socket.setTimeout(patience)
        socket.write(request.bytes)
      }
    }
    const settled = (answer: Answer | undefined) => {
      const then = answered
      answered = undefined
      then?.(answer)
    }
    socket.on("data", (part) => {
      received += part.toString("latin1")
      const length = NumberedRequest.responseLength(received)
      if (length === undefined) return
      const text = received.slice(0, length)
      received = received.slice(length)
      idle.push(self)
      settled({ status: Number(text.slice(9, 12)), text, millis: performance.now() - sentAt })
      pump()
    })
    socket.on("timeout", () => socket.destroy()).on("error", () => socket.destroy()).on("close", () => {
      open.delete(self)
      const at = idle.indexOf(self)
      if (at >= 0) idle.splice(at, 1)
      settled(undefined)
      pump()
    })
    open.add(self)
    return self
  }

  const pump = () => {
    while (from < waiting.length && (idle.length > 0 || open.size < connections)) {
      const answered = waiting[from++]
      if (answered !== undefined) (idle.pop() ?? connection()).send(next++, answered)
    }
    if (from === waiting.length) waiting.length = from = 0
  }

  return {
    post: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        pump()
      }),
    close: () => {
      for (const each of open) each.close()
    }
  }
}
