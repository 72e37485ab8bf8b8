import { announcing } from "#layers/postgres/migrations/AudienceWakeups.ts"
import { audienceLock } from "#layers/postgres/migrations/Lists.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The function finds its tables beside the one that was written to, also in a session that has no search path: one that
 * restores only profiles from a backup (`pg_dump --data-only`) has none, and no profile could be restored. By the name
 * of the table's schema rather than one that is written here, since a schema may be renamed.
 */
export const audiencePath = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create or replace function audience_subject_changed() returns trigger language plpgsql
    set search_path = '' as $$
    declare
      subject record;
    begin
      perform set_config('search_path', quote_ident(tg_table_schema), true);
      if tg_op = 'DELETE' then subject := old; else subject := new; end if;
      perform pg_advisory_xact_lock_shared(${audienceLock}, subject.scope);
      insert into audience_changes (scope, user_id) select subject.scope, subject.user_id
        where exists (select 1 from audiences where scope = subject.scope);
      if found and pg_try_advisory_xact_lock(${announcing}, 0) then perform pg_notify('tidings_audiences', ''); end if;
      return null;
    end $$`)
})
