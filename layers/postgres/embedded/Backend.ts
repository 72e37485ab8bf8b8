import { DatabaseBroken } from "#layers/postgres/embedded/EmbeddedError.ts"
import * as Protocol from "#layers/postgres/embedded/Protocol.ts"
import type { PGlite } from "@electric-sql/pglite"
import { Predicate, Result } from "effect"
import { Buffer } from "node:buffer"

/** The one backend of an in-process PGlite. */
export interface Backend {
  /**
   * Runs whole messages, the last a Sync, a Flush or a Query, and answers with whole messages. Once broken, always
   * broken.
   */
  readonly run: (unit: Uint8Array) => Result.Result<Buffer, DatabaseBroken>
  /** Whether it is inside BEGIN … COMMIT. */
  readonly inTransaction: () => boolean
  /** What a new connection is told: authentication, parameters, the number under which it may be cancelled, ready. */
  readonly greeting: (connection: number) => Buffer
  readonly broken: () => DatabaseBroken | undefined
}

/** How PGlite's build says that an ERROR was raised and the main loop is to go on behind it. */
const errorRaised = 100

const noCopy = Protocol.message("f", "COPY FROM STDIN is not available in the embedded database")
const noCopySync = Buffer.concat([noCopy, Protocol.message("S")])
const nothing = Buffer.alloc(0)

/**
 * Takes the backend over from PGlite's own methods, which must not be used afterwards (`close` excepted): they take
 * every exception of the module for an ERROR and go on, so a PANIC at a failed fsync, or COPY FROM STDIN, spins until
 * memory ends.
 */
export const make = (db: PGlite, lastWords: () => string): Result.Result<Backend, DatabaseBroken> => {
  const module = db.Module
  let input: Uint8Array = nothing
  let taken = 0
  let refusal = noCopy
  let output: Array<Buffer> = []
  let broken: DatabaseBroken | undefined

  const heap = (): Uint8Array => module.HEAPU8
  const read = (pointer: number, longest: number): number => {
    if (taken >= input.length) { // Units are whole, so only COPY FROM STDIN still reads.
      input = refusal
      taken = 0
    }
    const part = input.subarray(taken, taken + longest)
    heap().set(part, pointer)
    taken += part.length
    return part.length
  }
  const write = (pointer: number, length: number): number => {
    output.push(Buffer.from(heap().subarray(pointer, pointer + length)))
    return length
  }
  module._pgl_set_rw_cbs(module.addFunction(read, "ipi"), module.addFunction(write, "ipi"))

  const loop = () => {
    while (taken < input.length || module._pq_buffer_remaining_data() > 0) {
      const stack = module.stackSave()
      try {
        module._PostgresMainLoopOnce()
      } catch (cause) {
        if (!Predicate.hasProperty(cause, "status") || cause.status !== errorRaised) return cause
        module.stackRestore(stack)
        module._PostgresMainLongJmp()
      }
    }
    module._PostgresSendReadyForQueryIfNecessary()
    module._pgl_pq_flush()
    return undefined
  }
  const greet = () => {
    if (module._ProcessStartupPacket(module._pgl_getMyProcPort(), true, true) !== 0) return "startup refused"
    module._pgl_sendConnData()
    module._pgl_pq_flush()
    return undefined
  }
  const call = (unit: Uint8Array, steps: () => unknown): Result.Result<Buffer, DatabaseBroken> => {
    if (broken !== undefined) return Result.fail(broken)
    input = unit
    taken = 0
    output = []
    const ended = Result.try(steps)
    const cause = Result.isFailure(ended) ? ended.failure : ended.success
    const reply = output.length === 1 ? output[0] ?? nothing : Buffer.concat(output)
    output = []
    input = nothing
    if (cause === undefined) return Result.succeed(reply)
    broken = new DatabaseBroken({
      detail: lastWords() || String(Predicate.hasProperty(cause, "message") ? cause.message : cause)
    })
    return Result.fail(broken)
  }

  return Result.map(call(Protocol.startup({ user: "postgres", database: "postgres" }), greet), (said) => ({
    run: (unit) => {
      refusal = unit[0] === Protocol.query ? noCopy : noCopySync
      return call(unit, loop)
    },
    inTransaction: () => module._IsTransactionBlock() !== 0,
    greeting: (connection) =>
      Buffer.concat([
        ...[...Protocol.messages(said)].filter((one) => one[0] === authentication || one[0] === parameter),
        Protocol.keyData(connection),
        Protocol.idle
      ]),
    broken: () => broken
  }))
}

const authentication = 0x52
const parameter = 0x53
