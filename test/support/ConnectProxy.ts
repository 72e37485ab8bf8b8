import { cert, key } from "#test/layers/outbound/TestCertificate.ts"
import * as Loopback from "#test/support/Loopback.ts"
import { Deferred, Effect } from "effect"
import { createServer, type IncomingMessage, type Server } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { connect } from "node:net"
import type { Duplex } from "node:stream"

export interface Options {
  /** Speaks TLS, with the test's certificate for 127.0.0.1. */
  readonly secure?: boolean
  /** `user:password`; who brings no such login is answered with 407. */
  readonly login?: string
  /** Ports on loopback of what is asked for under other names. */
  readonly routes?: Readonly<Record<string, number>>
  /** Opens no tunnel, but writes this, or nothing at all. */
  readonly answer?: string
  /** Closes the connection without a word. */
  readonly closes?: boolean
}

/** A proxy on loopback that opens tunnels (CONNECT), as an operator's does. It writes down what it was asked for. */
export const listen = Effect.fnUntraced(
  function*({ answer, closes = false, login, routes = {}, secure }: Options = {}) {
    const asked: Array<string> = []
    const reached = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString("base64")}`

    const tunnel = (request: IncomingMessage, client: Duplex) => {
      const authority = request.url ?? ""
      asked.push(authority)
      client.on("error", () => client.destroy()).once("end", () => client.end()).once(
        "close",
        () => Deferred.doneUnsafe(closed, Effect.void)
      )
      Deferred.doneUnsafe(reached, Effect.void)
      if (closes) return client.destroy()
      if (answer !== undefined) return client.resume().write(answer)
      if (request.headers["proxy-authorization"] !== wanted)
        return client.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\nWho are you?")
      const { hostname, port } = new URL(`http://${authority}`)
      const target = connect(
        routes[authority] ?? Number(port || 80),
        routes[authority] === undefined ? hostname : "127.0.0.1"
      )
      const unreached = () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
      target.once("error", unreached).on("error", () => client.destroy()).once("close", () => client.destroy())
      target.once("connect", () => {
        target.off("error", unreached)
        client.write("HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n")
        client.pipe(target).pipe(client)
      })
      client.once("close", () => target.destroy())
    }

    const server: Server = secure === true ? createSecureServer({ cert, key }) : createServer()
    server.on("connect", tunnel)
    const port = yield* Loopback.listen(server)
    const scheme = secure === true ? "https" : "http"
    const url = `${scheme}://${login === undefined ? "" : `${login}@`}127.0.0.1:${port}`
    return { url, port, asked, reached, closed }
  }
)
