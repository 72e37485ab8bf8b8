import type { Scope } from "#schemas/Scope.ts"
import { ownFaults, type Renaming } from "#src/delivery/providers/ProviderNames.ts"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * The messages before their attempts, and in the order of their ids, as receipts and steps take them: else one waits for the other in a circle.
 * A statement of its own, so that the next ones see what was written until the locks were granted.
 */
const lock = `
  select count(*) from (select from messages where scope = $1 and (due_at = 0 or due_at > 0) and providers && $2::text[]
    order by id for update) locked`

/** `ProviderNames.renamed` of the attempts of all open messages; each `due_at` is spelt out, since it is what the partial indexes are for. */
const statement = `
  with tried as materialized (
    select scope, id from messages where scope = $1 and due_at = 0 and providers && $2::text[]
    union all select scope, id from messages where scope = $1 and due_at > 0 and providers && $2::text[])
  update attempts a set provider = r.new
  from tried, unnest($2::text[], $3::text[], $4::boolean[]) as r(old, new, gone)
  where a.scope = tried.scope and a.message_id = tried.id and a.provider = r.old
    and (not r.gone or (a.state not in ('intent', 'accepted') and a.kind = any($5::text[])))`

/** What readers find those messages by: the names of their attempts, as those are called now. */
const names = (dueAt: string) => `
  update messages m set providers = array(select provider from attempts a
      where a.scope = m.scope and a.message_id = m.id group by provider order by min(number))
  where scope = $1 and ${dueAt} and providers && $2::text[]`

/** Calls the attempts of an environment's open messages as their providers are called now. */
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
  // Statements of their own, for each sees the attempts as they were before it.
  const refile = Effect.forEach(["due_at = 0", "due_at > 0"], (dueAt) => sql.unsafe(names(dueAt), [scope, from]))
  return Effect.asVoid(Effect.all([sql.unsafe(lock, [scope, from]), rename, refile]))
}
