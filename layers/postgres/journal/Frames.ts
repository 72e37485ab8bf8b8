import type { Scope } from "#schemas/Scope.ts"
import type { Frame } from "#src/content/Frame.ts"
import { Clock, Effect, Schema } from "effect"
import { memoize } from "effect/Function"
import type { SqlClient } from "effect/sql"
import { hash } from "node:crypto"

/** For so long, in ns, a process takes a frame that it wrote for stored: one that is lost is missed no longer. */
const memory = 60_000_000_000n

/** Frames that are remembered. Where more are in use, each is written more often. */
const most = 10_000

interface Row {
  readonly name: string
  readonly text: string
}

/** A frame as JSON, which a database takes whatever the pieces hold, and the hash of that. */
const rowOf = memoize((frame: Frame): Row => {
  const text = JSON.stringify(frame)
  return { name: hash("sha256", text, "base64url").slice(0, 22), text }
})

/** The name that a frame is stored under: the same at every node and after every start. */
export const nameOf = (frame: Frame): string => rowOf(frame).name

/** A frame, and the environment whose mail has it. */
export interface Used {
  readonly scope: Scope
  readonly frame: Frame
}

/**
 * Stores frames, in a commit of their own, before what uses them is written (`write`): a frame without a use does no
 * harm, and is remembered only once it is stored. One that is in use is written again each minute, which tells that it
 * is, and brings back one that the database has lost. After a failure nothing is remembered: the database may be another
 * one by now.
 */
export const keep = (sql: SqlClient.SqlClient) => {
  const kept = new Map<string, bigint>()

  /** The frames of a batch that have not been written for so long, by key. */
  const unkept = (batch: ReadonlyArray<Used>, now: bigint, since: bigint): ReadonlyMap<string, Row & Used> => {
    const found = new Map<string, Row & Used>()
    for (const used of batch) {
      const row = rowOf(used.frame)
      const key = `${used.scope} ${row.name}`
      const at = kept.get(key)
      if (at === undefined || now - at >= since) found.set(key, { ...row, ...used })
    }
    return found
  }

  const store = Effect.fnUntraced(function*(batch: ReadonlyArray<Used>) {
    const now = yield* Clock.monotonicTimeNanos
    if (unkept(batch, now, memory).size === 0) return
    // What would be written soon goes along: a commit for each frame's minute would be many.
    const missing = unkept(batch, now, memory / 2n)
    // In one order, or two nodes deadlock.
    const lost = [...missing].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
    yield* sql`insert into frames (scope, name, pieces, used_at)
      select scope, name, pieces, ${yield* Clock.currentTimeMillis}
      from unnest(${lost.map(({ scope }) => scope)}::int[], ${lost.map(({ name }) => name)}::text[],
        ${lost.map(({ text }) => text)}::text[]) as f(scope, name, pieces)
      on conflict (scope, name) do update set used_at = greatest(frames.used_at, excluded.used_at)`
    for (const key of missing.keys()) {
      kept.delete(key)
      kept.set(key, now)
      const [oldest] = kept.keys()
      if (kept.size > most && oldest !== undefined) kept.delete(oldest)
    }
  })

  return <A, E>(batch: ReadonlyArray<Used>, write: Effect.Effect<A, E>) =>
    (batch.length === 0 ? write : Effect.andThen(store(batch), write)).pipe(
      Effect.onError(() => Effect.sync(() => kept.clear()))
    )
}

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ name: Schema.String, pieces: Schema.fromJsonString(Schema.Array(Schema.String)) }))
)

/** The frames of a scope that have these names, by name. */
export const find = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(scope: Scope, names: ReadonlyArray<string>) {
    if (names.length === 0) return new Map<string, Frame>()
    const found = yield* decode(
      yield* sql`select name, pieces from frames where scope = ${scope} and name = any(${names}::text[])`
    )
    return new Map<string, Frame>(found.map(({ name, pieces }) => [name, pieces]))
  })
