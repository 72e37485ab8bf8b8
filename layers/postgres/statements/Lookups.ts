import { isFinal, orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Patience from "#src/store/Patience.ts"
import { Array, Cause, Context, Effect, Exit, Latch, type Schema, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

const maxBatch = 500

/**
 * How many statements of one lookup may be under way at once. With two, this process serves the callers of one while
 * the database runs the next. Set it to one where all connections are one session: a second would only make the
 * batches smaller.
 */
export const AtOnce = Context.Reference<number>("tidings/postgres/Lookups/AtOnce", { defaultValue: () => 2 })

interface Entry<A, B> {
  readonly asked: A
  readonly resume: (exit: Exit.Exit<B, StoreUnavailable>) => void
}

/**
 * Batches many small reads into one statement: those asked for in the same turn of the event loop, or while the last
 * statements ran, are read together, without a timer. `select` answers one result per item of `asked`, in order. A
 * statement starts after its reads were asked for, so it finds what was committed before. A read within a transaction
 * runs alone, on the transaction's connection.
 */
export const make = Effect.fnUntraced(function*<A, B>(
  select: (
    asked: ReadonlyArray<A>
  ) => Effect.Effect<ReadonlyArray<B>, Schema.SchemaError | SqlError.SqlError | StoreUnavailable>
): Effect.fn.Return<(asked: A) => Effect.Effect<B, StoreUnavailable>, never, Scope.Scope | SqlClient.SqlClient> {
  const { transactionService } = yield* SqlClient.SqlClient
  const patiently = yield* Patience.within(Patience.callers)
  const waiting: globalThis.Array<Entry<A, B>> = []
  const filled = Latch.makeUnsafe()

  const fail = (entries: ReadonlyArray<Entry<A, B>>, cause: unknown) => {
    for (const entry of entries) entry.resume(Exit.fail(new StoreUnavailable({ cause })))
  }

  /** A read that the database refuses, or whose row does not decode, fails alone: its batch is halved to find it. */
  const read = (entries: ReadonlyArray<Entry<A, B>>): Effect.Effect<void> =>
    Effect.matchCauseEffect(patiently(select(entries.map(({ asked }) => asked))), {
      onSuccess: (found) => Effect.sync(() => found.forEach((one, place) => entries[place]?.resume(Exit.succeed(one)))),
      onFailure: (cause) => {
        const error = Cause.squash(cause)
        // Those that came meanwhile fail as well: nobody waits for a second statement to time out.
        if (!isFinal(error)) return Effect.sync(() => fail([...entries, ...waiting.splice(0)], error))
        if (entries.length === 1) return Effect.sync(() => entries[0]?.resume(Exit.die(error)))
        const half = Math.ceil(entries.length / 2)
        return Effect.andThen(read(entries.slice(0, half)), read(entries.slice(half)))
      }
    })

  const drain = Effect.gen(function*() {
    yield* filled.await
    yield* Effect.yieldNow
    const batch = waiting.splice(0, maxBatch)
    if (waiting.length === 0) Latch.closeUnsafe(filled)
    if (batch.length > 0) yield* read(batch)
  })
  yield* Effect.forEach(Array.range(1, yield* AtOnce), () => Effect.forkScoped(Effect.forever(drain)))
  yield* Effect.addFinalizer((exit) => Effect.sync(() => fail(waiting.splice(0), exit)))

  const together = (asked: A) =>
    Effect.callback<B, StoreUnavailable>((resume) => {
      waiting.push({ asked, resume })
      Latch.openUnsafe(filled)
    })
  const alone = (asked: A) =>
    orUnavailable(Effect.flatMap(select([asked]), (found) => Effect.orDie(Effect.fromOption(Array.head(found)))))
  return (asked) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Context.getOrUndefined(context, transactionService) === undefined ? together(asked) : alone(asked)
    )
})
