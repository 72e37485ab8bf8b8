import { Schema } from "effect"

/** The body is longer than the limit. The rest is left unread, so the connection cannot be used again. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {}) {}

/** There is no room for the body beside the others that are in memory; the rest is left unread. */
export class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", {}) {}

/**
 * Bytes that every body may have without claiming room. Most bodies are no longer, and are never refused because of
 * larger ones.
 */
export const free = 64 * 1024

/**
 * Gathers a body in one buffer, which doubles up to the declared length: a body of a million one-byte chunks costs its
 * bytes, not a million objects.
 */
export class Gathering {
  private readonly most: number
  private readonly limit: number
  private readonly hold: (bytes: number) => boolean
  private held: Uint8Array | undefined
  private length = 0
  private owned = false

  /** `hold` is asked before the buffer grows beyond `free`. */
  constructor(declared: number, limit: number, hold: (bytes: number) => boolean) {
    this.most = declared || limit
    this.limit = limit
    this.hold = hold
  }

  /**
   * Adds a chunk, or answers why it does not fit. The first chunk is kept without copying, since most bodies are one
   * chunk.
   */
  add(chunk: Uint8Array): BodyTooLarge | NoRoom | undefined {
    const length = this.length + chunk.length
    if (length > this.limit) return new BodyTooLarge()
    if (this.held === undefined) {
      this.held = chunk
    } else {
      const into = this.roomFor(this.held, length)
      if (into === undefined) return new NoRoom()
      into.set(chunk, this.length)
      this.held = into
    }
    this.length = length
    return undefined
  }

  bytes(): Uint8Array {
    return this.held === undefined ? new Uint8Array(0) : this.held.subarray(0, this.length)
  }

  private roomFor(held: Uint8Array, length: number): Uint8Array | undefined {
    if (this.owned && held.length >= length) return held
    const size = Math.max(length, Math.min(this.most, Math.max(free, length * 2)))
    if (size > free && !this.hold(size)) return undefined
    const larger = Buffer.allocUnsafeSlow(size)
    larger.set(held.subarray(0, this.length))
    this.owned = true
    return larger
  }
}
