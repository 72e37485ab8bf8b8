import { empty, type State } from "#layers/memory/State.ts"
import { Context, Effect, Exit, Layer, Semaphore } from "effect"

/** A change, with its answer. It must be pure: it may never run, or run on a state that is rolled back. */
type Change<A> = (state: State) => readonly [answer: A, state: State]

/** One state in memory, shared by the stores of one process; gone with it. */
export class Database extends Context.Service<Database, {
  /** Reads the state of the transaction it is called in, else the committed one; waits for no other transaction. */
  readonly read: <A>(f: (state: State) => A) => Effect.Effect<A>
  /** The committed state, for callers that run outside of any effect. */
  readonly committed: () => State
  /** One atomic change: part of the transaction that it is called in, else committed at once. */
  readonly modify: <A>(change: Change<A>) => Effect.Effect<A>
  /** `modify` without an answer. */
  readonly update: (change: (state: State) => State) => Effect.Effect<void>
  /**
   * Commits all changes of the effect or, if it does not succeed, none. Transactions run one after the other: each
   * waits at its first access, not before, until the others have ended. Within a transaction it is a savepoint.
   */
  readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("tidings/memory/Database") {}

/** The state as the transaction has it; absent before its first access. */
interface Transaction {
  state: State | undefined
  readonly begin: Effect.Effect<void>
}

/** The transactions that this fiber is in, by database: being in one of another database does not count. */
const Running = Context.Reference<ReadonlyMap<object, Transaction>>("tidings/memory/Database/Running", {
  defaultValue: () => new Map()
})

const make = Effect.sync(() => {
  const self = {}
  const current = Effect.map(Running, (running) => running.get(self))
  let committed = empty
  let writing = false
  const turn = Semaphore.makeUnsafe(1)

  const apply = <A>(change: Change<A>): A => {
    const [answer, next] = change(committed)
    committed = next
    return answer
  }

  const applyIn = <A>(transaction: Transaction, change: Change<A>) =>
    Effect.andThen(
      transaction.begin,
      Effect.sync(() => {
        const [answer, next] = change(transaction.state ?? committed)
        transaction.state = next
        return answer
      })
    )

  const modify = <A>(change: Change<A>): Effect.Effect<A> =>
    Effect.flatMap(current, (transaction) => {
      if (transaction !== undefined) return applyIn(transaction, change)
      return writing ? turn.withPermit(Effect.sync(() => apply(change))) : Effect.sync(() => apply(change))
    })

  const read = <A>(f: (state: State) => A): Effect.Effect<A> =>
    Effect.flatMap(current, (transaction) =>
      transaction === undefined
        ? Effect.sync(() => f(committed))
        : applyIn(transaction, (state) => [f(state), state]))

  const savepoint = <A, E, R>(outer: Transaction, effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const before = outer.state
      return Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) && outer.state !== undefined) outer.state = before ?? committed
        }))
    })

  const outermost = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
    const begin = Effect.uninterruptibleMask((restore) =>
      Effect.map(restore(turn.take(1)), () => {
        writing = true
        transaction.state = committed
      })
    )
    const transaction: Transaction = { state: undefined, begin: yield* Effect.cached(begin) }
    return yield* effect.pipe(
      Effect.updateService(Running, (running) => new Map([...running, [self, transaction]])),
      Effect.onExit((exit) => {
        if (transaction.state === undefined) return Effect.void
        if (Exit.isSuccess(exit)) committed = transaction.state
        writing = false
        return turn.release(1)
      })
    )
  })

  return Database.of({
    read,
    committed: () => committed,
    modify,
    update: (change) => modify((state) => [undefined, change(state)]),
    transaction: (effect) =>
      Effect.flatMap(
        current,
        (transaction) => transaction === undefined ? outermost(effect) : savepoint(transaction, effect)
      )
  })
})

export const layer = Layer.effect(Database, make)
