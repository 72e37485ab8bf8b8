import type { Backend } from "#layers/postgres/embedded/Backend.ts"
import type { DatabaseBroken } from "#layers/postgres/embedded/EmbeddedError.ts"
import * as Protocol from "#layers/postgres/embedded/Protocol.ts"
import { type Unit, UnitReader } from "#layers/postgres/embedded/UnitReader.ts"
import { Result } from "effect"
import type { Buffer } from "node:buffer"
import { Duplex } from "node:stream"
import { clearTimeout, setImmediate, setTimeout } from "node:timers"

/** After so many ms of statements, the rest of the process gets turns of the event loop. */
const turnMillis = 2

/**
 * Turns of the event loop that the rest of the process gets for each ms of statements. Node accepts one connection per
 * turn (libuv), and Deno looks at its sockets only every 61st turn (Tokio's `event_interval`): with one turn after each
 * statement, and statements of 0.1 s, a burst of callers waited for half a minute. An unused turn costs 2 µs.
 */
const turnsPerMilli = 8

export interface Wire {
  /** A new connection. Give it to `PgClient` as `stream`. */
  readonly connect: () => Duplex
  /** Ends every connection, rolling back what they left open, before it returns. */
  readonly shutdown: () => void
}

export interface Options {
  /** A connection that keeps others waiting for so many milliseconds, idle inside its transaction, is ended. */
  readonly patience?: number | undefined
  /** Called when the backend is gone for good. */
  readonly onBroken?: (error: DatabaseBroken) => void
}

const farewell = "farewell"

/**
 * Multiplexes any number of wire connections onto one backend. A backend has one transaction, so a connection inside
 * BEGIN … COMMIT keeps the backend, and the others then take turns, a statement each. A statement that waits for its
 * turn can be cancelled. A connection that ends is rolled back, and its prepared statements are closed. To PostgreSQL
 * all are one session: they share SET, session advisory locks and temporary tables, and each gets every notification.
 */
export const make = (backend: Backend, options: Options = {}): Wire => {
  const connections = new Set<Connection>()
  const turns: Array<Connection> = []
  let connected = 0
  let holder: Connection | undefined
  let scheduled = false
  let down: Error | undefined
  let impatience: NodeJS.Timeout | undefined

  class Connection extends Duplex {
    readonly units: Array<Unit | typeof farewell> = []
    readonly number = ++connected
    waiting = false
    greeted = false
    private readonly reader: UnitReader
    private leaving = false
    private gone = false

    constructor() {
      super({ allowHalfOpen: false })
      this.on("error", () => {}) // Nobody may listen any more, and an unheard error ends the process.
      this.reader = new UnitReader({
        startup: () => {
          this.greeted = true
          this.push(backend.greeting(this.number))
        },
        plainText: () => void this.push("N"),
        unit: (unit) => this.offer(unit),
        cancel: (number) => {
          for (const one of connections) if (one.number === number) one.cancel()
        },
        end: (fault) => fault === undefined ? this.leave() : this.destroy(new Error(`connection ended: ${fault}`))
      })
      connections.add(this)
    }
    private offer(unit: Unit | typeof farewell) {
      this.units.push(unit)
      queue(this)
    }
    /** Cancels the statements that wait for their turn. The running one, and those in a transaction, go on. */
    private cancel() {
      if (holder === this || this.units.some((unit) => unit === farewell || !unit.closed)) return
      for (const _ of this.units.splice(0)) this.push(Protocol.canceled)
    }
    /** The messages that undo what this connection left in the backend; call it once, at its end. */
    leftovers(): Buffer {
      const bytes = Protocol.farewell(holder === this, this.reader.statements)
      this.gone = true
      connections.delete(this)
      return bytes
    }
    private leave() {
      if (this.leaving) return
      this.leaving = true
      this.offer(farewell)
    }
    override _read() {}
    override _write(chunk: Buffer, _encoding: string, done: () => void) {
      this.reader.push(chunk)
      done()
    }
    override _final(done: () => void) {
      this.leave()
      done()
    }
    override _destroy(error: Error | null, done: (error: Error | null) => void) {
      connections.delete(this)
      this.units.length = 0
      this.leaving = true
      if (!this.gone) this.offer(farewell)
      done(error)
    }
  }

  const queue = (connection: Connection) => {
    if (connection !== holder && !connection.waiting) {
      connection.waiting = true
      turns.push(connection)
    }
    if (scheduled) return
    scheduled = true
    setImmediate(drain)
  }
  const next = (): Connection | undefined => {
    if (holder !== undefined) return holder.units.length > 0 ? holder : undefined
    const connection = turns.shift()
    if (connection !== undefined) connection.waiting = false
    return connection
  }
  const drain = () => {
    const start = performance.now()
    do {
      const connection = next()
      if (connection === undefined) {
        scheduled = false
        return watch()
      }
      step(connection)
    } while (performance.now() - start < turnMillis)
    rest(performance.now() - start)
  }
  /** Gives the rest of the process turns of the event loop, for at most as long as the statements took. */
  const rest = (millis: number) => {
    const until = performance.now() + millis
    let turns = Math.ceil(millis * turnsPerMilli)
    const turn = () => {
      if (--turns > 0 && performance.now() < until) setImmediate(turn)
      else drain()
    }
    setImmediate(turn)
  }
  const step = (connection: Connection) => {
    const unit = connection.units.shift()
    if (unit === undefined) return
    const last = unit === farewell
    clearTimeout(impatience)
    impatience = undefined
    const bytes = last ? connection.leftovers() : unit.bytes
    if (bytes.length > 0) {
      const reply = backend.run(bytes)
      if (Result.isFailure(reply)) return fail(reply.failure)
      const [own, notifications] = Protocol.partNotifications(reply.success)
      const holds = !last && (!unit.closed || !Protocol.isReady(own) || backend.inTransaction())
      holder = holds ? connection : undefined
      tell(notifications)
      if (!last && own.length > 0 && !connection.destroyed) connection.push(own)
    }
    if (last) {
      if (!connection.destroyed) connection.push(null)
      connection.resume()
    } else if (connection !== holder && connection.units.length > 0) queue(connection)
  }
  const tell = (notifications: ReadonlyArray<Buffer>) => {
    for (const notification of notifications) {
      for (const one of connections) if (one.greeted) one.push(notification)
    }
  }
  const fail = (cause: DatabaseBroken) => {
    if (down === undefined) options.onBroken?.(cause)
    down = cause
    holder = undefined
    for (const connection of connections) connection.destroy(cause)
  }
  /** Called when nothing runs: if others wait for an idle transaction, its connection is ended after `patience`. */
  const watch = () => {
    const idle = holder
    if (idle === undefined || turns.length === 0 || impatience !== undefined) return
    impatience = setTimeout(() => {
      impatience = undefined
      idle.destroy(new Error("connection ended: idle in a transaction that others wait for"))
    }, options.patience ?? 30_000)
    impatience.unref()
  }
  return {
    connect: () => {
      const connection = new Connection()
      return down === undefined ? connection : connection.destroy(down)
    },
    shutdown: () => {
      const reason = new Error("connection ended: the database is closing")
      down ??= reason
      for (const connection of connections) connection.destroy(reason)
      for (let connection = next(); connection !== undefined; connection = next()) step(connection)
      clearTimeout(impatience)
    }
  }
}
