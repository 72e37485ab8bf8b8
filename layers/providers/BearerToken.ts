import type { DeliveryError } from "#schemas/DeliveryError.ts"
import type { Line } from "#layers/providers/VendorHttp.ts"
import { Clock, Effect, Ref, Semaphore } from "effect"

export interface Issued {
  readonly token: string
  /** How long the issuer honours it, in ms. */
  readonly lifetimeMs: number
}

/** A token is renewed this long before it expires, in ms, so that none expires on its way. */
const margin = 60_000

/** One token shared by all callers. It is issued anew shortly before its end, by one request at a time. */
export const make = Effect.fnUntraced(function*(issue: (line: Line) => Effect.Effect<Issued, DeliveryError>) {
  const held = yield* Ref.make({ token: "", until: 0 })
  const gate = yield* Semaphore.make(1)
  const current = Effect.gen(function*() {
    const { token, until } = yield* Ref.get(held)
    return (yield* Clock.currentTimeMillis) < until ? token : undefined
  })
  const renewed = Effect.fnUntraced(function*(line: Line) {
    const other = yield* current
    if (other !== undefined) return other
    const { lifetimeMs, token } = yield* issue(line)
    yield* Ref.set(held, { token, until: (yield* Clock.currentTimeMillis) + lifetimeMs - margin })
    return token
  })
  return {
    get: (line: Line) =>
      Effect.flatMap(current, (token) => token === undefined ? gate.withPermit(renewed(line)) : Effect.succeed(token)),
    forget: Ref.set(held, { token: "", until: 0 })
  }
})
