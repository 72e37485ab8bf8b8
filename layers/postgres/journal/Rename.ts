import type { Scope } from "#schemas/Scope.ts"
import { ownFaults, type Renaming } from "#src/delivery/providers/ProviderNames.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Until the end of the transaction. The statements open the partitions of all days, and to compile plans of that size
 * takes most of the time: for 60,000 messages among 300 days, 100 s instead of 6 s.
 */
const uncompiled = "select set_config('jit', 'off', true)"

/**
 * Locks the messages before their attempts, and in the order of their ids, as receipts and steps do: otherwise they
 * could deadlock. A statement of its own, so that the next ones see all that was committed while it waited for its
 * locks.
 */
const lock = `
  select count(*) from (select from messages where scope = $1 and (due_at = 0 or due_at > 0) and providers && $2::text[]
    order by id for update) locked`

/**
 * Applies `ProviderNames.renamed` to the attempts of all open messages. Each `due_at` is spelt out, or the planner
 * would not use the partial indexes.
 */
const statement = `
  with tried as materialized (
    select scope, id from messages where scope = $1 and due_at = 0 and providers && $2::text[]
    union all select scope, id from messages where scope = $1 and due_at > 0 and providers && $2::text[])
  update attempts a set provider = r.new
  from tried, unnest($2::text[], $3::text[], $4::boolean[]) as r(old, new, gone)
  where a.scope = tried.scope and a.message_id = tried.id and a.provider = r.old
    and (not r.gone or (a.state not in ('intent', 'accepted') and a.kind = any($5::text[])))`

/** Writes `providers`, by which readers find messages, anew from the renamed attempts. */
const names = (dueAt: string) => `
  update messages m set providers = array(select provider from attempts a
      where a.scope = m.scope and a.message_id = m.id group by provider order by min(number))
  where scope = $1 and ${dueAt} and providers && $2::text[]`

/**
 * Renames the attempts of an environment's open messages to what their providers are called now. To be called in the
 * transaction of the change: whoever sees the new configurations and an old name would take an accepted message for one
 * that was never handed over. It takes 2 s for 60,000 messages that were tried, and steps of these wait meanwhile.
 */
export const attempts = (sql: SqlClient.SqlClient) => (scope: Scope, all: ReadonlyArray<Renaming>) => {
  if (all.length === 0) return Effect.void
  const from = all.map(({ from }) => from)
  const rename = sql.unsafe(statement, [
    scope,
    from,
    all.map(({ to }) => to),
    all.map(({ isGone }) => isGone),
    ownFaults
  ])
  // Separate statements: as part of the renaming one, they would still see the old names.
  const refile = Effect.forEach(["due_at = 0", "due_at > 0"], (dueAt) => sql.unsafe(names(dueAt), [scope, from]))
  return Effect.asVoid(Effect.all([sql.unsafe(uncompiled), sql.unsafe(lock, [scope, from]), rename, refile]))
}
