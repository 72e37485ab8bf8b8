import { Effect } from "effect"
import { HttpServerError } from "effect/http"
import type { Server } from "node:http"
import { createServer, type ListenOptions, type Server as Listener } from "node:net"

/**
 * Node takes up one new connection in each turn of its loop, of each socket that listens. Under load a turn takes some
 * ms, and so the last of 4,096 callers that came at once heard nothing for 6 s, a health check among them. Deno takes
 * up all that wait, and other systems than Linux do not share connections out evenly, or refuse to.
 */
const listeners = process.platform === "linux" && process.versions["deno"] === undefined ? 8 : 1

/** How a server's own socket listens, so that others may listen beside it. */
export const shared = (options: ListenOptions): ListenOptions => ({ ...options, reusePort: listeners > 1 })

/**
 * Fails if another process listens where a server is to. To be asked before: sockets that share a port do not see that
 * it is in use. (A single one does.)
 */
export const unused = (options: ListenOptions): Effect.Effect<void, HttpServerError.ServeError> =>
  listeners === 1 ? Effect.void : Effect.callback((resume) => {
    const probe = createServer()
    probe.once("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
    probe.listen(options, () => probe.close(() => resume(Effect.void)))
  })

/**
 * Once the server listens, more sockets listen on its port, whose connections are the server's like its own. They close
 * with it, and it is closed when they are.
 */
export const multiply = (server: Server, { backlog }: ListenOptions): Server => {
  const others: Array<Listener> = []
  const listen = () => {
    const address = server.address()
    if (address === null || typeof address === "string") return
    const options = shared({ host: address.address, port: address.port, ...(backlog === undefined ? {} : { backlog }) })
    for (let n = 1; n < listeners; n++) {
      // As node:http makes its own.
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket))
      // What cannot listen is missed by nobody: the server's own socket does.
      others.push(other.on("error", () => undefined).listen(options))
    }
  }
  const close = server.close.bind(server)
  server.close = (closed) => {
    const all = others.splice(0).filter(({ listening }) => listening)
    let open = all.length + 1
    const one = (error?: Error) => {
      if (--open === 0) closed?.(error)
    }
    for (const other of all) other.close(() => one())
    return close(one)
  }
  return server.on("listening", listen)
}
