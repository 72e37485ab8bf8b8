import * as Protocol from "#layers/postgres/embedded/Protocol.ts"
import { Buffer } from "node:buffer"

/**
 * Bytes for the backend up to a point where it answers. `closed`: it then waits for anybody's next statement (not after
 * a Flush).
 */
export interface Unit {
  readonly bytes: Uint8Array
  readonly closed: boolean
}

/** What the bytes of one connection ask for. */
export interface Requests {
  readonly startup: () => void
  readonly plainText: () => void
  readonly unit: (unit: Unit) => void
  /** A CancelRequest for this connection, before the `end` of the one that brings it. */
  readonly cancel: (connection: number) => void
  /** Terminate, the end of a CancelRequest, or `fault`: what PostgreSQL would not survive. */
  readonly end: (fault?: string) => void
}

const letterU = 0x75
const space = 0x20

/** Cuts the bytes a client writes, in chunks of any size, into the units between which the backend may change hands. */
export class UnitReader {
  /** The prepared statements that the client has named and not closed. */
  readonly statements = new Set<string>()
  private readonly requests: Requests
  private chunks: Array<Buffer> = []
  private size = 0
  private wanted = 0
  private scanned = 0
  private blanks: Array<number> = []
  private started = false
  private ended = false

  constructor(requests: Requests) {
    this.requests = requests
  }

  push(chunk: Buffer): void {
    if (this.ended) return
    this.chunks.push(chunk)
    this.size += chunk.length
    if (this.size < this.wanted) return
    const input = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.size)
    const rest = this.read(input)
    this.chunks = rest.length === 0 ? [] : [rest]
    this.size = rest.length
  }

  private end(fault?: string): Buffer {
    this.ended = true
    this.requests.end(fault)
    return Buffer.alloc(0)
  }

  /** Answers with what is left over. */
  private read(input: Buffer): Buffer {
    let from = 0
    let at = this.scanned
    for (;;) {
      const tagged = this.started ? 1 : 0
      this.wanted = at - from + tagged + 4
      this.scanned = at - from
      if (input.length - from < this.wanted) return input.subarray(from)
      const tag = input[at] ?? 0
      const length = input.readUInt32BE(at + tagged)
      if (!(this.started ? Protocol.isAllowed(tag, length, at - from) : Protocol.isStartupAllowed(length))) {
        return this.end("a message that is not PostgreSQL's")
      }
      const next = at + tagged + length
      this.wanted = next - from
      if (input.length < next) return input.subarray(from)
      if (!this.started) {
        const version = input.readUInt32BE(at + 4)
        if (version === Protocol.version.cancel) {
          if (length >= 12) this.requests.cancel(input.readUInt32BE(at + 8))
          return this.end()
        }
        this.started = version >> 16 === Protocol.version.protocol >> 16
        if (this.started) this.requests.startup()
        else if (version === Protocol.version.tls || version === Protocol.version.gss) this.requests.plainText()
        else return this.end(`protocol ${version >> 16}.${version & 0xffff}`)
        from = next
      } else {
        if (tag === Protocol.terminate) return this.end()
        this.note(input, tag, at + 5, next, from)
        if (tag === Protocol.sync || tag === Protocol.query || tag === Protocol.flush) {
          this.requests.unit({ bytes: this.take(input.subarray(from, next)), closed: tag !== Protocol.flush })
          from = next
        }
      }
      at = next
    }
  }

  /** Keeps the names of prepared statements, and finds UNLISTEN. */
  private note(input: Buffer, tag: number, body: number, end: number, from: number): void {
    if (tag === Protocol.close && input[body] === Protocol.sync) {
      this.statements.delete(input.toString("latin1", body + 1, end - 1))
    }
    if (tag !== Protocol.parse && tag !== Protocol.query) return
    let sql = body
    if (tag === Protocol.parse) {
      const zero = input.indexOf(0, body)
      if (zero < 0 || zero >= end) return
      if (zero > body) this.statements.add(input.toString("latin1", body, zero))
      sql = zero + 1
    }
    if (
      ((input[sql] ?? 0) | space) === letterU &&
      /^unlisten\s+[^*\s]/i.test(input.toString("latin1", sql, Math.min(sql + 40, end)))
    ) {
      this.blanks.push(sql - from)
    }
  }

  /**
   * All connections are one session to PostgreSQL, so one's UNLISTEN would silence the others: it becomes a LISTEN
   * again.
   */
  private take(bytes: Buffer): Buffer {
    if (this.blanks.length === 0) return bytes
    const copy = Buffer.from(bytes)
    for (const at of this.blanks) copy.fill(space, at, at + 2)
    this.blanks = []
    return copy
  }
}
