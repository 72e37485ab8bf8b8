import type * as NodeServer from "#layers/http/NodeServer.ts"
import { Gathering } from "#layers/http/body/Gathering.ts"
import { wasRead } from "#layers/http/body/ReadBody.ts"
import * as Direct from "#layers/http/plain/Direct.ts"
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
      request.on("data", (chunk: Buffer) => void gathering.add(chunk)).on("error", () => undefined)
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

/** Offers requests that Node has read. What `Direct` offered before is not offered again. */
export const offering = (take: Send.Take): NodeServer.Take => (request, response, others) =>
  isSend(request) && !Direct.wasOffered(request.socket) && take(sendOf(request, response, others))
    ? Send.route
    : undefined
