import { free } from "#layers/http/body/Gathering.ts"
import type { Measure } from "#layers/http/Measured.ts"
import { type Framed, read } from "#layers/http/plain/Framing.ts"
import * as Offered from "#layers/http/plain/Offered.ts"
import { route, type Take } from "#layers/http/plain/Send.ts"
import type { Written } from "#layers/http/plain/Written.ts"
import type { Socket } from "node:net"

/**
 * In ms: a connection on which nothing comes for so long at first, or no more of a request, is Node's, whose own times
 * for a slow sender begin then. One that has ended and whose last answer is not read is cut off.
 */
const patience = 1_000

/** In how many pieces a request may come. Each is copied with those before it. */
const mostPieces = 8

/** What the connections of a server have in common. */
export interface Server {
  readonly take: Take
  readonly measure: Measure
  readonly written: Written
  /** In ms: a connection on which nothing has moved for so long is closed. */
  readonly idle: number
  readonly isStopping: () => boolean
  /** Whether somebody hears of the requests that Node reads. */
  readonly hasOthers: () => boolean
}

/**
 * A connection that is read here for as long as plain sends come on it, one after the other, each whole and soon. With
 * anything else it is given to Node (`leave`), for good, with what came and was not answered. Node's own way with a
 * request costs more than all the rest of a refusal, and a seventh of an acceptance.
 */
export class Direct {
  private readonly server: Server
  private readonly socket: Socket
  private readonly leave: (bytes: Buffer | undefined) => void
  private readonly left: () => void
  /** What has come and is not answered: a part of a request, or what follows the one that is being answered. */
  private held: Buffer | undefined
  private pieces = 0
  private waiting: NodeJS.Timeout | undefined
  private isFirst = true
  /** Told how the send that is being answered ended. */
  private ended: ((status: number | undefined) => void) | undefined
  private isLast = false
  private isOffering = false

  /** `left` is told when the connection is closed, or Node's. */
  constructor(server: Server, socket: Socket, leave: (bytes: Buffer | undefined) => void, left: () => void) {
    this.server = server
    this.socket = socket
    this.leave = leave
    this.left = left
    socket.on("data", this.onData).on("end", this.onEnd).on("error", this.onError).on("close", this.onClose)
      .on("timeout", this.onTimeout).setTimeout(patience)
  }

  /** Ends the connection: with the answer under way, if there is one; where its next request has begun to come, or its first has not, as Node does. */
  stop(): void {
    this.isLast = true
    if (this.ended !== undefined) return
    if (this.held !== undefined || this.socket.bytesRead === 0) this.toNode()
    else this.finish()
  }

  /** Nothing is read behind the last answer: its caller may take what comes there for not served (RFC 9112, 9.6). */
  private finish(): void {
    this.held = undefined
    clearTimeout(this.waiting)
    this.socket.off("data", this.onData).resume().setTimeout(patience)
    this.socket.destroySoon()
  }

  private readonly onData = (chunk: Buffer): void => {
    this.held = this.held === undefined ? chunk : Buffer.concat([this.held, chunk])
    this.pieces++
    // Who does not wait for an answer before the next request waits here, until nothing whole is held.
    if (this.ended !== undefined) this.socket.pause()
    else this.next()
  }

  private readonly onEnd = (): void => {
    if (this.ended !== undefined || this.held === undefined) return void this.socket.end()
    this.toNode()
    this.socket.emit("end")
  }

  private readonly onError = (): void => undefined

  private readonly onClose = (): void => {
    clearTimeout(this.waiting)
    this.end(undefined)
    this.left()
  }

  private readonly onTimeout = (): void => {
    if (this.isFirst) this.toNode()
    else this.socket.destroy()
  }

  private end(status: number | undefined): void {
    const { ended } = this
    this.ended = undefined
    ended?.(status)
  }

  private readonly toNode = (): void => {
    const { held, socket } = this
    this.held = undefined
    clearTimeout(this.waiting)
    socket.off("data", this.onData).off("end", this.onEnd).off("error", this.onError).off("close", this.onClose)
      .off("timeout", this.onTimeout)
    this.left()
    socket.resume()
    this.leave(held)
  }

  /** Offers what is held, request after request, for as long as each is answered at once. */
  private next(): void {
    while (this.held !== undefined && this.ended === undefined && this.socket.writable) {
      const framed = read(this.held, free)
      // Whoever does not read what is answered goes on under Node's bounds.
      if (framed === undefined || this.pieces > mostPieces || this.socket.writableLength > 0) return this.toNode()
      if (framed === "part") {
        this.socket.resume()
        this.waiting ??= setTimeout(this.toNode, patience)
        return
      }
      clearTimeout(this.waiting)
      this.waiting = undefined
      if (!this.isTaken(framed, this.held)) return
    }
  }

  /** If not, the connection is Node's, or closed. */
  private isTaken({ body, end, isLast, rawHeaders }: Framed, bytes: Buffer): boolean {
    const { measure, take } = this.server
    const { socket } = this
    if (this.isFirst) socket.setTimeout(this.server.idle)
    this.isFirst = false
    this.pieces = 0
    this.held = end === bytes.length ? undefined : bytes.subarray(end)
    const ended = measure({ method: "POST" })
    this.ended = (status) => ended(status, route)
    const others = (): boolean => {
      if (socket.destroyed || !this.server.hasOthers()) return false
      this.ended = undefined
      this.held = this.held === undefined ? bytes : Buffer.concat([bytes.subarray(0, end), this.held])
      Offered.before(socket)
      this.toNode()
      return true
    }
    this.isOffering = true
    const taken = take({
      rawHeaders,
      read: (_, done) => done(body),
      isGone: () => socket.destroyed,
      answer: (answer, last) => this.answer(answer, isLast || last === "last"),
      others
    })
    this.isOffering = false
    if (taken) return true
    if (!others()) socket.destroy()
    return false
  }

  private answer(...[answer, isLast]: Parameters<Written>): void {
    const { socket } = this
    if (!socket.writable) return this.end(undefined)
    const ends = isLast || this.isLast || this.server.isStopping()
    socket.write(this.server.written(answer, ends))
    this.end(answer.response.status)
    if (ends) return this.finish()
    // More would only be held, and copied with what is: without a bound, as long as the caller writes.
    if (this.held === undefined) socket.resume()
    // An answer that is given at once goes on in the loop that offered its send.
    if (!this.isOffering) this.next()
  }
}
