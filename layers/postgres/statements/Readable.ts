import { Effect, Option, Result, Schema } from "effect"

/** How many rows of a kind are named in the log, at most: more say nothing new. */
const mostTold = 100

const named = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

/**
 * Separates the rows that decode from those that do not, as they came: another version wrote them, or something else
 * did. All are decoded at once; only if that fails, one by one.
 */
export const sorted = <A>(schema: Schema.Codec<A, unknown>) => {
  const all = Schema.decodeUnknownResult(Schema.Array(schema))
  const one = Schema.decodeUnknownResult(schema)
  return (rows: ReadonlyArray<unknown>): { readonly good: ReadonlyArray<A>; readonly bad: ReadonlyArray<unknown> } => {
    const whole = all(rows)
    if (Result.isSuccess(whole)) return { good: whole.success, bad: [] }
    const results = rows.map((row) => [row, one(row)] as const)
    return {
      good: results.flatMap(([, result]) => Result.isSuccess(result) ? [result.success] : []),
      bad: results.flatMap(([row, result]) => Result.isSuccess(result) ? [] : [row])
    }
  }
}

/**
 * Decodes rows of a list, which leaves out those that do not decode: one would keep all others from being listed. Each
 * is logged once, by its id; of a row that is named by a user, only that there is one (P9). `what` is one of them.
 */
export const listed = <A>(what: string, schema: Schema.Codec<A, unknown>) => {
  const read = sorted(schema)
  const told = new Set<string>()
  const tell = (row: unknown) =>
    Effect.suspend(() => {
      const known = Option.getOrUndefined(named(row))
      const name = known?.id ?? ""
      if (told.has(name) || told.size >= mostTold) return Effect.void
      told.add(name)
      return Effect.logError(`a stored ${what} does not decode: it is left out of lists`, ...known ? [known] : [])
    })
  return (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<A>> =>
    Effect.suspend(() => {
      const { bad, good } = read(rows)
      return Effect.as(Effect.forEach(bad, tell, { discard: true }), good)
    })
}
