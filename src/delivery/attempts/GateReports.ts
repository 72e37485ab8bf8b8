import type { Crowd } from "#src/delivery/attempts/Crowd.ts"
import type { RateGate } from "#src/delivery/attempts/RateGate.ts"
import { type Called, isSame } from "#src/delivery/Provider.ts"
import * as Metrics from "#src/reports/Metrics.ts"
import { Effect, Metric, type Scope } from "effect"

/** A provider configuration as operators know it. */
export interface Named extends Called {
  readonly environment: string
}

/** The gate of one. */
interface Gate {
  readonly pace: RateGate
  readonly crowd: Crowd
}

/**
 * What operators are told of the rate gates of their providers: a line when the first message comes to one, another when
 * nobody has waited there for so long that it is none any more, and gauges meanwhile. Servers and accounts that a
 * recipient has or a message names are no business of theirs.
 */
export const make = Effect.fnUntraced(function*(now: () => number): Effect.fn.Return<
  {
    readonly opened: (gate: Gate, named: Named) => Effect.Effect<void>
    readonly measure: Effect.Effect<void>
  },
  never,
  Scope.Scope
> {
  const scope = yield* Effect.scope
  const gates = new Map<Gate, Named>()
  /** By channel and provider, also of those that have no gate any more. */
  const seen = new Map<string, Called>()

  const closed = (gate: Gate, named: Named): Effect.Effect<void> =>
    Effect.suspend(() => {
      const left = gate.pace.unusedAt() - now()
      if (left > 0) return Effect.andThen(Effect.sleep(Math.ceil(left)), closed(gate, named))
      gates.delete(gate)
      return Effect.logInfo("a provider takes all again", named)
    })

  return {
    opened: (gate, named) =>
      Effect.suspend(() => {
        const { channel, provider } = named
        gates.set(gate, named)
        seen.set(`${channel}\n${provider}`, { channel, provider })
        return Effect.logWarning("a provider takes no more for now, and is called at the rate that it takes", named)
          .pipe(
            Effect.andThen(Effect.forkIn(closed(gate, named), scope)),
            Effect.asVoid
          )
      }),
    measure: Effect.suspend(() =>
      Effect.forEach(seen.values(), (series) => {
        const own = [...gates].flatMap(([gate, named]) => isSame(named, series) ? [gate] : [])
        return Effect.andThen(
          Metric.update(Metrics.callRate(series), own.reduce((sum, { pace }) => sum + pace.rate(), 0)),
          Metric.update(Metrics.waitingForProvider(series), own.reduce((sum, { crowd }) => sum + crowd.total(), 0))
        )
      }, { discard: true })
    )
  }
})
