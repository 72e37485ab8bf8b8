import * as Loopback from "#test/support/Loopback.ts"
import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"

/** A network between a client and a server that fails when told to. */
export interface TcpProxy {
  /** Connect here, on 127.0.0.1, instead of to the target. */
  readonly port: number
  /** Connections open now. */
  readonly open: () => number
  /** The target is gone: what is open is reset, and so is what connects. */
  readonly cut: () => void
  /** The target is silent: connections open and stay, and no byte goes either way. */
  readonly freeze: () => void
  /** What is open stays, and carries nothing any more, as when a firewall forgot it; what connects gets through. */
  readonly forget: () => void
  /** Resets what is open, once; what connects afterwards gets through as before. */
  readonly drop: () => void
  /** As at the start. After `freeze` the bytes held back arrive. */
  readonly heal: () => void
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

const ends = ({ client, server }: Pair): ReadonlyArray<Socket> => [client, server]

/** A proxy in front of `target` on a free port; gone, with its connections, when the scope closes. */
export const start = (
  target: { readonly host: string; readonly port: number }
): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    let state: "healthy" | "cut" | "frozen" = "healthy"
    const pairs = new Set<Pair>()

    const join = (pair: Pair) => {
      const { client, server } = pair
      client.pipe(server).pipe(client)
    }
    const hold = (pair: Pair) => {
      const { client, server } = pair
      client.unpipe(server).pause()
      server.unpipe(client).pause()
    }
    const drop = () => {
      for (const pair of pairs) ends(pair).forEach((socket) => socket.resetAndDestroy())
    }

    const listener = createServer({ noDelay: true }, (client) => {
      if (state === "cut") {
        client.on("error", () => undefined).resetAndDestroy()
        return
      }
      const pair = { client, server: connect({ ...target, noDelay: true }) }
      pairs.add(pair)
      for (const socket of ends(pair)) {
        socket.on("error", () => undefined).on("close", () => {
          pairs.delete(pair)
          ends(pair).forEach((end) => end.destroy())
        })
      }
      if (state === "healthy") join(pair)
    })
    const port = yield* Loopback.listen(listener)
    yield* Effect.addFinalizer(() => Effect.sync(drop))
    return {
      port,
      open: () => pairs.size,
      cut: () => {
        state = "cut"
        drop()
      },
      freeze: () => {
        state = "frozen"
        pairs.forEach(hold)
      },
      forget: () => pairs.forEach(hold),
      drop,
      heal: () => {
        if (state === "frozen") pairs.forEach(join)
        state = "healthy"
      }
    }
  })
