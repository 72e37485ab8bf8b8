import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createServer2, type Http2ServerRequest, type Http2ServerResponse } from "node:http2"
import { row } from "./VendorRun.ts"

// Gives the answers of the vendor's recorded exchange, and keeps nothing.
const answer = (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
  request.on("end", () => {
    const path = (request.url ?? "").split("?")[0] ?? ""
    const { body = "", headers = {}, status } = path === "/ready" ? { status: 200 } : row.before?.[path] ?? row.success
    response.statusCode = status
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.end(body)
  }).resume()
}

const server = row.http2 === true ? createServer2(answer) : createServer(answer)
server.listen(Number(process.env["BENCH_PORT"]), "127.0.0.1")
