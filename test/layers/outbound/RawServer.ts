import * as Loopback from "#test/support/Loopback.ts"
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"

/** A TCP server on all of IPv4 loopback that answers as scripted and writes down what reached it. */
export const listen = Effect.fnUntraced(function*(script: (socket: Socket, received: string) => void) {
  const seen = { connections: new Array<string>(), received: "" }
  const server = createServer((socket) => {
    seen.connections.push(socket.localAddress ?? "gone")
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk) => {
      seen.received += chunk.toString("latin1")
      script(socket, chunk.toString("latin1"))
    })
  })
  return { port: yield* Loopback.listen(server, "0.0.0.0"), seen }
})

/** Ends the connection with a whole answer of this text, in the terms of the wire. */
export const reply = (head: string, body = "") => (socket: Socket) => {
  socket.end(`HTTP/1.1 ${head}\r\n\r\n${body}`)
}
