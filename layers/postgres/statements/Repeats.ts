import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * With more characters of parameters than this, rows are looked up before they are inserted: to write large ones in
 * vain takes longer than their callers wait.
 */
const largest = 1_048_576

const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return value.length
  return Array.isArray(value) ? value.reduce<number>((sum, one) => sum + sizeOf(one), 0) : 0
}

/**
 * Writes rows, which are in these parameters, as new ones and, if one of them is stored already, once more as rows of
 * which some may be: their flush was repeated, since nobody knew whether it had committed. With `on conflict`, the
 * database looks up each row before it inserts it, and confirms it afterwards: a fortieth of what the writes of a fan-out cost it.
 */
export const asNew = <A, E, R>(
  parameters: ReadonlyArray<unknown>,
  write: (areNew: boolean) => Effect.Effect<A, E | SqlError, R>
) =>
  sizeOf(parameters) > largest
    ? write(false)
    : Effect.catchReason(write(true), "SqlError", "UniqueViolation", () => write(false))

/** So many names are known to have met such rows. */
const mostKnown = 64

/**
 * `asNew` for the writes of many things, each with a name: once one of a thing has met rows that were there, or was
 * large, its later ones look first, as do all later pages of a request to lists that have their people in common.
 */
export const learning = () => {
  const known = new Set<string>()
  const learn = (name: string) => {
    known.add(name)
    const [oldest] = known
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  }
  return <A, E, R>(
    name: string,
    parameters: ReadonlyArray<unknown>,
    write: (areNew: boolean) => Effect.Effect<A, E | SqlError, R>
  ) =>
    known.has(name) ? write(false) : asNew(parameters, (areNew) => {
      if (!areNew) learn(name)
      return write(areNew)
    })
}
