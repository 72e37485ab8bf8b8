import { Database } from "#layers/memory/Database.ts"
import * as Accept from "#layers/memory/journal/Accept.ts"
import { due } from "#layers/memory/journal/Due.ts"
import { observe } from "#layers/memory/journal/Observe.ts"
import * as Record from "#layers/memory/journal/Record.ts"
import * as Keys from "#layers/memory/Keys.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { Lane } from "#src/delivery/journal/OpenMessage.ts"
import {
  type Acceptance,
  type Accepted,
  eachAlone,
  Journal,
  MessageNotFound,
  type Step
} from "#src/delivery/Journal.ts"
import { Clock, Effect, HashMap, Layer, Option, Semaphore } from "effect"

/** The journal in memory: each call is a flush of its own. */
export const layer = Layer.effect(
  Journal,
  Effect.gen(function*() {
    const { modify, read } = yield* Database
    const handover = yield* Handover
    /** Messages are handed over in the order of their commits (P3). */
    const inOrder = Semaphore.makeUnsafe(1)

    const store = (acceptance: Acceptance) =>
      modify((state): readonly [Accepted, typeof state] => {
        const { at, key, response } = acceptance
        const kept = key === undefined ? undefined : Keys.find(state, key, at)
        return kept === undefined
          ? [{ response, replayed: false }, Accept.store(state, acceptance)]
          : [{ response: kept, replayed: true }, state]
      })

    const accept = Effect.fnUntraced(function*(acceptance: Acceptance) {
      const refused = Accept.refused(acceptance)
      if (refused !== undefined) return yield* refused
      return yield* store(acceptance).pipe(
        Effect.tap(({ replayed }) => {
          const owned = replayed ? [] : acceptance.messages.filter((message) => handover.owns(message.shard))
          return Effect.andThen(
            replayed
              ? handover.behind(Lane.literals)
              : owned.length === 0
              ? Effect.void
              : handover.offer(owned),
            acceptance.expansion === undefined ? Effect.void : handover.stir
          )
        }),
        // A caller that goes away leaves no message committed and not handed over.
        Effect.uninterruptible,
        inOrder.withPermit
      )
    })

    const record = Effect.fnUntraced(function*(step: Step) {
      const refused = Record.refused(step)
      if (refused !== undefined) return yield* refused
      const provenAtNanos = yield* Clock.monotonicTimeNanos
      const recorded = yield* modify((state) => Record.record(state, step))
      return recorded._tag === "Written" ? { ...recorded, provenAtNanos } : recorded
    })

    const observeOne: Journal["Service"]["observe"] = Effect.fnUntraced(function*(observed) {
      const now = yield* Clock.currentTimeMillis
      const seen = yield* modify((state) => observe(state, observed, now))
      if (seen === undefined) return yield* new MessageNotFound({ id: observed.id })
      if (seen.stirred !== undefined && handover.owns(seen.stirred)) yield* handover.behind(Lane.literals)
      return seen.observation
    })

    return Journal.of({
      accept,
      record,
      observe: observeOne,
      observeAll: eachAlone(observeOne),
      take: (shard, _, at) =>
        modify((state) => {
          const epoch = Option.match(HashMap.get(state.epochs, shard), {
            onNone: () => 1,
            onSome: (last) => Math.max(last + 1, at)
          })
          return [{ shard, epoch, seq: state.seq }, { ...state, epochs: HashMap.set(state.epochs, shard, epoch) }]
        }),
      due: (window) => read((state) => due(state, window))
    })
  })
)
