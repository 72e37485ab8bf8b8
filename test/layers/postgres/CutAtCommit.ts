import { PgClient } from "@effect/sql-pg"
import { type Redacted, Redacted as R } from "effect"
import { connect } from "node:net"
import { Duplex } from "node:stream"

/** `before`: the server never hears of the commit. `after`: it commits, and its answer is lost. */
export type Cut = "before" | "after"

/** A node whose next commit, once `arm` was called, loses its connection. */
export const make = (database: Redacted.Redacted) => {
  const url = new URL(R.value(database))
  let armed: Cut | undefined

  const stream = () => {
    const socket = connect(Number(url.port || 5432), url.hostname)
    let silent = false
    const duplex = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        const cut = chunk.includes("COMMIT") ? armed : undefined
        if (cut === undefined) return socket.write(chunk, () => done())
        armed = undefined
        silent = true
        if (cut === "after") socket.write(chunk)
        else duplex.destroy(new Error("cut"))
        done()
      },
      destroy(error, done) {
        socket.destroy()
        done(error)
      }
    })
    socket.on("data", (chunk) => silent ? duplex.destroy(new Error("cut")) : duplex.push(chunk))
    socket.on("close", () => duplex.push(null))
    socket.on("error", (error) => duplex.destroy(error))
    return duplex
  }

  return {
    arm: (cut: Cut) => {
      armed = cut
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
