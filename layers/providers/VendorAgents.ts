import * as Connection from "#layers/outbound/Connection.ts"
import * as Connector from "#layers/providers/Connector.ts"
import * as NamedPools from "#layers/providers/NamedPools.ts"
import type { OutboundRefused } from "#src/delivery/Outbound.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as Undici from "@effect/platform-node/Undici"
import { Effect, Result } from "effect"
import { NetAddress } from "effect/net"

/**
 * Of one configuration, at once: a vendor that hangs must not take every socket. Over HTTP/1.1 pushes to recipients with
 * several devices have up to four times as many (`Devices`).
 */
export const connections = 64

/**
 * To one host, at once: as many as several busy configurations have. A call that waits here is no longer in its
 * configuration's turns, and its time runs.
 */
const mostToHost = 8 * connections

const options: Undici.Agent.Options = {
  // A request that waits for a connection is proved not sent.
  connections: mostToHost,
  pipelining: 1,
  maxHeaderSize: 16_384,
  allowH2: false
}

/**
 * HTTP/2 carries many requests per connection. It stays open for an hour without one (ms), since Apple takes frequent
 * new connections for an attack. undici reads `useH2c`, though its types here do not know it.
 */
const http2Options = { ...options, connections: 4, allowH2: true, useH2c: true, keepAliveTimeout: 3_600_000 }

/**
 * The pools of connections to vendors. A setting may name any host (`base_url`), so what they may reach is what a webhook
 * may: public addresses on ports 80 and 443, and the operator's own networks (`TIDINGS_OUTBOUND_ALLOW`).
 */
export const make = Effect.fnUntraced(function*(guard: Connector.Guard) {
  const connectorTo = yield* Connector.make(guard)
  const pools = (port: number) =>
    Effect.all({
      http1: NodeHttpClient.makeDispatcherOptions({ ...options, connect: connectorTo(port, { http2: false }) }),
      http2: NamedPools.make({ ...http2Options, connect: connectorTo(port, { http2: true }) })
    })
  const ordinary = yield* pools(443)
  // A name may stand for addresses of which only some are reached on such a port.
  const other = yield* pools(0)

  /**
   * The pool for a URL, of HTTP/2 if a name is given; refused if its host is an address that may not be reached. A host's
   * name is judged when it is looked up.
   */
  return (url: URL, name: string | undefined): Result.Result<Undici.Dispatcher, OutboundRefused> => {
    const port = Number(url.port === "" ? 443 : url.port)
    const { http1, http2 } = port === 80 || port === 443 ? ordinary : other
    const pool = () => name === undefined ? http1 : http2(name)
    const literal = NetAddress.ipFromString(url.hostname.replace(/^\[|\]$/g, ""))
    return Result.isFailure(literal)
      ? Result.succeed(pool())
      : Connector.judge(guard.allow, literal.success, port).pipe(
        Result.mapBoth({ onFailure: (refusal) => Connection.refuse(url.hostname, refusal), onSuccess: pool })
      )
  }
})
