import { Effect } from "effect"
import { createServer, type Socket } from "node:net"

/** A TCP server on all of IPv4 loopback that answers as scripted and writes down what reached it. */
export const listen = Effect.fnUntraced(function*(script: (socket: Socket, received: string) => void) {
  const seen = { connections: new Array<string>(), received: "" }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    seen.connections.push(socket.localAddress ?? "gone")
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (chunk) => {
      seen.received += chunk.toString("latin1")
      script(socket, chunk.toString("latin1"))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "0.0.0.0", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        sockets.forEach((socket) => socket.destroy())
      })
  )
  const address = server.address()
  return { port: typeof address === "object" && address !== null ? address.port : 0, seen }
})

/** Ends the connection with a whole answer of this text, in the terms of the wire. */
export const reply = (head: string, body = "") => (socket: Socket) => {
  socket.end(`HTTP/1.1 ${head}\r\n\r\n${body}`)
}
