import { Direct, type Server as Common } from "#layers/http/plain/Direct.ts"
import { InFlight } from "#src/fibers/InFlight.ts"
import type { Server } from "node:http"
import { Socket } from "node:net"

/**
 * Has each new connection of a server read by `Direct` before the server hears of it. When the server closes, they end
 * as its own do.
 */
export const ahead = (server: Server, common: Omit<Common, "hasOthers" | "isStopping">): Server => {
  const connections = new InFlight<Direct>()
  const all: Common = {
    ...common,
    isStopping: () => !server.listening,
    hasOthers: () => server.listenerCount("request") > 0
  }
  const emit = server.emit.bind(server)
  const open = (socket: Socket): void => {
    const leave = (bytes: Buffer | undefined): void => {
      emit("connection", socket)
      if (bytes !== undefined) socket.emit("data", bytes)
    }
    const entry = connections.add(new Direct(all, socket, leave, () => connections.delete(entry)))
  }
  server.emit = (event: string, ...given: ReadonlyArray<unknown>): boolean => {
    const [socket] = given
    if (event !== "connection" || !(socket instanceof Socket)) return emit(event, ...given)
    open(socket)
    return true
  }
  const close = server.close.bind(server)
  server.close = (closed) => {
    const open = [...connections.values()]
    for (const connection of open) connection.stop()
    return close(closed)
  }
  return server
}
