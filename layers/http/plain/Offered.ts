import type * as NodeServer from "#layers/http/NodeServer.ts"
import { Gathering } from "#layers/http/body/Gathering.ts"
import { wasRead } from "#layers/http/body/ReadBody.ts"
import * as Send from "#layers/http/plain/Send.ts"
import { headersOf } from "#layers/http/StoredReply.ts"
import type { IncomingMessage, ServerResponse } from "node:http"

const isSend = ({ httpVersion, method, url }: IncomingMessage): boolean =>
  method === "POST" && url === Send.route && httpVersion === "1.1"

const sendOf = (request: IncomingMessage, response: ServerResponse, others: () => boolean): Send.Send => {
  let read: Uint8Array | undefined
  return {
    rawHeaders: request.rawHeaders,
    read: (length, done) => {
      const gathering = new Gathering(length, length, () => true)
      request.on("data", (chunk: Buffer) => void gathering.add(chunk))
        .on("end", () => done(read = gathering.bytes()))
    },
    isGone: () => request.socket.destroyed,
    answer: (answer, last) => {
      const { body, status } = answer.response
      if (last === "last") response.setHeader("connection", "close")
      response.writeHead(status, { ...headersOf(answer), "content-length": Buffer.byteLength(body) }).end(body)
    },
    others: () => {
      if (read !== undefined) wasRead(request, read)
      return others()
    }
  }
}

const offered = new WeakSet<object>()

/** Notes that the first request which Node will read on this connection was offered before. */
export const before = (socket: object): void => void offered.add(socket)

/** Offers requests that Node has read, those that were offered `before` excepted. */
export const offering = (take: Send.Take): NodeServer.Take => (request, response, others) =>
  isSend(request) && !offered.delete(request.socket) && take(sendOf(request, response, others))
    ? Send.route
    : undefined
