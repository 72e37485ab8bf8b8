import * as Loopback from "#test/support/Loopback.ts"
import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"

/** Where the commit is cut: the database never hears of it, or commits and nobody hears the answer. */
export type Cut = "before" | "after"

/** A proxy that reads along on Postgres connections and holds those that commit idempotency keys. */
export interface WireProxy {
  readonly port: number
  /**
   * Resolves when the commit of the transaction that inserts this key has come to the cut. That connection is held from then on: what
   * its client does next, it does alone.
   */
  readonly holdAt: (cut: Cut, key: string) => Promise<void>
}

const tag = (text: string): number => text.charCodeAt(0)
const [parse, bind, query, sync, ready] = [tag("P"), tag("B"), tag("Q"), tag("S"), tag("Z")]

/** Cuts a byte stream into messages: `<tag> <length> <body>`, but for the client's first one, which has no tag. */
const framing = (tagged: boolean, onFrame: (frame: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk])
    while (true) {
      const head = tagged ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) return
      const frame = rest.subarray(0, end)
      rest = rest.subarray(end)
      tagged = true
      onFrame(frame)
    }
  }
}

const text = (frame: Buffer, from: number): readonly [value: string, next: number] => {
  const end = frame.indexOf(0, from)
  return [frame.toString("utf8", from, end), end + 1]
}

interface Armed {
  readonly cut: Cut
  readonly key: string
  readonly reached: () => void
}

const couple = (client: Socket, server: Socket, armed: ReadonlySet<Armed>) => {
  const statements = new Map<string, string>()
  let inTransaction = false
  let carried: Armed | undefined
  let held: Armed | undefined

  const sqlOf = (frame: Buffer): string | undefined => {
    if (frame[0] === query) return text(frame, 5)[0]
    if (frame[0] !== bind) return undefined
    const [, afterPortal] = text(frame, 5)
    return statements.get(text(frame, afterPortal)[0])
  }

  /** Whether this message is the one that commits a key: COMMIT, or the Sync of a statement outside of a transaction. */
  const commits = (frame: Buffer): boolean => {
    const sql = sqlOf(frame)
    if (sql !== undefined && /insert into idempotency/i.test(sql)) {
      carried ??= [...armed].find(({ key }) => frame.includes(key))
    }
    if (carried === undefined) return false
    return inTransaction ? sql !== undefined && /^\s*commit/i.test(sql) : frame[0] === sync
  }

  const fromClient = framing(false, (frame) => {
    if (frame[0] === parse) {
      const [name, afterName] = text(frame, 5)
      statements.set(name, text(frame, afterName)[0])
    }
    if (held === undefined && commits(frame)) {
      held = carried
      if (held?.cut === "before") held.reached()
    }
    if (held?.cut !== "before") server.write(frame)
  })
  const fromServer = framing(true, (frame) => {
    if (frame[0] === ready) inTransaction = frame[5] === tag("T")
    if (held === undefined) client.write(frame)
    else if (held.cut === "after" && frame[0] === ready && !inTransaction) held.reached()
  })

  client.on("data", fromClient)
  server.on("data", fromServer)
  for (const socket of [client, server]) {
    socket.on("error", () => undefined).on("close", () => {
      client.destroy()
      server.destroy()
    })
  }
}

/** In front of a Postgres without TLS, on a free port; gone, with its connections, when the scope closes. */
export const start = (
  target: { readonly host: string; readonly port: number }
): Effect.Effect<WireProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const armed = new Set<Armed>()
    const sockets = new Set<Socket>()
    const listener = createServer({ noDelay: true }, (client) => {
      const server = connect({ ...target, noDelay: true })
      for (const socket of [client, server]) sockets.add(socket.on("close", () => sockets.delete(socket)))
      couple(client, server, armed)
    })
    const port = yield* Loopback.listen(listener)
    yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
    return {
      port,
      holdAt: (cut, key) =>
        new Promise((resolve) => {
          const one: Armed = {
            cut,
            key,
            reached: () => {
              armed.delete(one)
              resolve()
            }
          }
          armed.add(one)
        })
    }
  })
