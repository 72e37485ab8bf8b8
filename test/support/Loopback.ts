import { Effect } from "effect"
import type { Server, Socket } from "node:net"

/**
 * Has the server listen on a free port of IPv4 loopback until the scope ends, which cuts what is still connected.
 * Answers the port.
 */
export const listen = Effect.fnUntraced(function*(server: Server, host: "127.0.0.1" | "0.0.0.0" = "127.0.0.1") {
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, host, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        sockets.forEach((socket) => socket.destroy())
      })
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})
