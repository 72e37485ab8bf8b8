import type { Line, VendorRequest } from "#layers/providers/VendorHttp.ts"
import type { Misconfigured, Unavailable } from "#schemas/DeliveryError.ts"
import * as Now from "#src/fibers/Now.ts"
import { Clock, Effect, Ref, Semaphore } from "effect"

export interface Issued {
  readonly token: string
  /** How long the issuer honours it, in ms. */
  readonly lifetimeMs: number
}

/** A token is renewed this long before it expires, in ms, so that none expires on its way. */
const margin = 60_000

interface Held {
  readonly token: string
  /** In epoch ms: a signed token says so, and is refused by whom it tells of a time to come. */
  readonly issuedAt: number
  /** In monotonic ms. */
  readonly until: number
}

const none: Held = { token: "", issuedAt: Infinity, until: 0 }

/**
 * One token shared by all callers. It is issued anew shortly before its end, or where the clock was set back since, by one
 * request at a time.
 */
export const make = Effect.fnUntraced(function*(
  issue: (line: Line) => Effect.Effect<Issued, Unavailable | Misconfigured>
) {
  const held = yield* Ref.make(none)
  const gate = yield* Semaphore.make(1)
  const current = Effect.gen(function*() {
    const { issuedAt, token, until } = yield* Ref.get(held)
    const isGood = issuedAt <= (yield* Clock.currentTimeMillis) && (yield* Now.monotonicMillis) < until
    return isGood ? token : undefined
  })
  const renewed = Effect.fnUntraced(function*(line: Line) {
    const other = yield* current
    if (other !== undefined) return other
    const issuedAt = yield* Clock.currentTimeMillis
    const { lifetimeMs, token } = yield* issue(line)
    yield* Ref.set(held, { token, issuedAt, until: (yield* Now.monotonicMillis) + lifetimeMs - margin })
    return token
  })
  const get = (line: Line) =>
    Effect.flatMap(current, (token) => token === undefined ? gate.withPermit(renewed(line)) : Effect.succeed(token))
  /**
   * Drops the token if it is the one in this `authorization`, which was refused. A refusal may come late: the token that
   * was issued meanwhile stays.
   */
  const forget = (authorization: string | undefined) =>
    Ref.update(held, (one) => authorization?.endsWith(` ${one.token}`) === true ? none : one)
  /** A preparing call with the token; once more with a new one if that is `refused` with one of these statuses. */
  const prepare = Effect.fnUntraced(function*(line: Line, asked: VendorRequest, refused: ReadonlyArray<number>) {
    const call = Effect.map(get(line), (token) => ({
      ...asked,
      headers: { ...asked.headers, authorization: `Bearer ${token}` }
    }))
    const first = yield* call
    const answer = yield* line.prepare(first)
    if (!refused.includes(answer.status)) return answer
    yield* forget(first.headers.authorization)
    return yield* line.prepare(yield* call)
  })
  return { get, forget, prepare }
})
