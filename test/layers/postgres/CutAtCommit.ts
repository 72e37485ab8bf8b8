import { PgClient } from "@effect/sql-pg"
import { type Redacted, Redacted as R } from "effect"
import { connect } from "node:net"
import { Duplex } from "node:stream"

/**
 * `before`: the server never hears of the commit. `after`: it commits, and its answer is lost. `silent`: its answer comes once
 * `speak` is called.
 */
export type Cut = "before" | "after" | "silent"

/** A node whose next commit, once `arm` was called, loses its connection; or its next statement with some other words. */
export const make = (database: Redacted.Redacted) => {
  const url = new URL(R.value(database))
  let armed: Cut | undefined
  let words = "COMMIT"
  let held: Array<() => void> = []

  const stream = () => {
    const socket = connect(Number(url.port || 5432), url.hostname)
    let silent = false
    let isCut = false
    const duplex = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        const cut = chunk.includes(words) ? armed : undefined
        if (cut === undefined) return socket.write(chunk, () => done())
        armed = undefined
        silent = true
        if (cut === "before") duplex.destroy(new Error("cut"))
        else socket.write(chunk)
        isCut = cut !== "silent"
        done()
      },
      destroy(error, done) {
        socket.destroy()
        done(error)
      }
    })
    socket.on("data", (chunk) => {
      if (!silent) duplex.push(chunk)
      else if (isCut) duplex.destroy(new Error("cut"))
      else held.push(() => duplex.push(chunk))
    })
    socket.on("close", () => duplex.push(null))
    socket.on("error", (error) => duplex.destroy(error))
    return duplex
  }

  return {
    arm: (cut: Cut, of = "COMMIT") => {
      armed = cut
      words = of
    },
    speak: () => {
      for (const answer of held) answer()
      held = []
    },
    layer: PgClient.layer({
      stream,
      username: url.username,
      database: url.pathname.slice(1),
      // An unprepared statement travels as text.
      prepare: false,
      maxConnections: 4
    })
  }
}
