import * as AddressPolicy from "#layers/outbound/AddressPolicy.ts"
import * as Connection from "#layers/outbound/Connection.ts"
import * as Proxy from "#layers/outbound/Proxy.ts"
import { exchange } from "#layers/outbound/Exchange.ts"
import * as Target from "#layers/outbound/Target.ts"
import { Outbound, OutboundNotSent, type OutboundRequest } from "#src/delivery/Outbound.ts"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Clock, Config, Effect, Layer } from "effect"
import { Dns } from "effect/net"

/** The guarded client over the runtime's own sockets; `ca` (PEM) replaces the runtime's certificate authorities. */
export const make = Effect.fnUntraced(function*(options: Omit<Connection.Guard, "dns">) {
  const guard = { ...options, dns: yield* Dns.Dns }

  const request = Effect.fn("Outbound.request")(function*(request: OutboundRequest) {
    const started = yield* Clock.monotonicTimeNanos
    const late = () => new OutboundNotSent({ stage: "deadline", detail: `no connection in ${request.deadlineMs} ms` })
    const target = yield* Target.fromRequest(request)
    const socket = yield* Connection.open(guard, target).pipe(
      Effect.timeoutOrElse({ duration: request.deadlineMs, orElse: () => Effect.fail(late()) })
    )
    const left = request.deadlineMs - Number((yield* Clock.monotonicTimeNanos) - started) / 1e6
    if (left <= 0) return yield* late()
    return yield* exchange(socket, target, request, left)
  }, Effect.scoped)

  return Outbound.of({ request })
})

/**
 * Allows the networks of `TIDINGS_OUTBOUND_ALLOW` and goes by the proxies of the standard variables; resolves names as
 * the operating system does.
 */
export const layer = Layer.effect(
  Outbound,
  Effect.flatMap(Config.all({ allow: AddressPolicy.allowed, proxies: Proxy.proxies }), make)
).pipe(Layer.provide(NodeDns.layer))
