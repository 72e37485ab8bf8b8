import * as Client from "#layers/outbound/Outbound.ts"
import type { OutboundRequest } from "#src/delivery/Outbound.ts"
import * as RawServer from "#test/layers/outbound/RawServer.ts"
import { Clock, Effect } from "effect"
import { Dns, IpNetwork } from "effect/net"
import type { Socket } from "node:net"

/** The operator's own network in these tests. */
export const allow = [IpNetwork.fromStringUnsafe("127.0.0.0/8")]

/** A client that may reach loopback and knows no names. */
export const client = Client.make({ allow }).pipe(Effect.provide(Dns.layerStatic({})))

export const post = (port: number, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: "POST",
  url: `http://127.0.0.1:${port}/hook?a=1`,
  headers: { "Content-Type": "text/plain" },
  body: "grüezi",
  deadlineMs: 2000,
  ...more
})

/** One request to a server of its own that answers as scripted. */
export const call = Effect.fnUntraced(
  function*(script: (socket: Socket, received: string) => void, more?: Partial<OutboundRequest>) {
    const { port } = yield* RawServer.listen(script)
    return yield* (yield* client).request(post(port, more))
  },
  Effect.scoped
)

/** The error of an effect, and the milliseconds of the real clock that it took. */
export const failing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const started = yield* Clock.monotonicTimeNanos
    const error = yield* Effect.flip(effect)
    return { error, took: Number((yield* Clock.monotonicTimeNanos) - started) / 1e6 }
  })
