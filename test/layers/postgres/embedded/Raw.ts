import * as Protocol from "#layers/postgres/embedded/Protocol.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import type { Duplex } from "node:stream"

/** A connection without a client on it. */
export interface Raw {
  readonly duplex: Duplex
  /** Writes, and answers with the tags of all messages up to a ReadyForQuery (its state beside it), or to the end. */
  readonly ask: (...bytes: ReadonlyArray<Buffer>) => Effect.Effect<string>
  readonly closed: Effect.Effect<void>
}

const spell = (message: Buffer) =>
  String.fromCharCode(message[0] ?? 0) + (message[0] === 0x5a ? message.toString("latin1", 5) : "")

export const connect: Effect.Effect<Raw, never, PgClient.PgClient> = Effect.map(PgClient.PgClient, (client) => {
  const duplex = client.config.stream?.()
  if (duplex === undefined) throw new Error("no wire")
  let received = Buffer.alloc(0)
  duplex.on("data", (chunk: Buffer) => received = Buffer.concat([received, chunk]))
  const closed = Effect.callback<void>((resume) => {
    if (duplex.closed) return resume(Effect.void)
    duplex.once("close", () => resume(Effect.void))
  })
  const ready = Effect.callback<string>((resume) => {
    const look = () => {
      const messages = [...Protocol.messages(received)].map(spell)
      if (!duplex.closed && !messages.at(-1)?.startsWith("Z")) return
      received = Buffer.alloc(0)
      duplex.off("data", look)
      duplex.off("close", look)
      resume(Effect.succeed(messages.join(" ")))
    }
    duplex.on("data", look)
    duplex.on("close", look)
    look()
  })
  return {
    duplex,
    closed,
    ask: (...bytes) =>
      Effect.suspend(() => {
        for (const chunk of bytes) duplex.write(chunk)
        return ready
      })
  }
})

export const hello = Protocol.startup({ user: "anybody", database: "any" })
/** A CancelRequest with the key that a connection was greeted with. */
export const cancel = (key: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(head.length + key.length)
  head.writeUInt32BE(Protocol.version.cancel, 4)
  return Buffer.concat([head, key])
}
export const query = (sql: string) => Protocol.message("Q", sql)
export const sync = Protocol.message("S")
export const flush = Protocol.message("H")
/** Parse, bind and execute without a Sync. */
export const extended = (sql: string, name = "") =>
  Buffer.concat([
    Protocol.message("P", name, sql, [0, 0]),
    Protocol.message("B", "", name, [0, 0, 0, 0, 0, 0]),
    Protocol.message("E", "", [0, 0, 0, 0])
  ])
