import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Stores an attempt's lines of the timeline in the attempt's row, those of its intent and of its outcome, as JSON
 * without what was rendered. A row of `history` for each of these two writes cost the database as much as the attempt.
 * What was rendered has a row of `outputs`, which attempts of a request may share: `output_of` is the message that it
 * was stored with.
 */
export const timelines = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table attempts add column intent_events text, add column outcome_events text,
    add column output_of text collate "C"`
  yield* sql`create table outputs (
    scope int not null,
    message_id text collate "C" not null,
    number smallint not null,
    rendered text not null,
    primary key (scope, message_id, number)
  ) partition by range (message_id)`
  yield* sql.unsafe(`do $$ begin
      alter table outputs alter column rendered set compression lz4;
    exception when feature_not_supported then null;
    end $$`).unprepared
  yield* sql`create table outputs_default (like outputs including compression)`
  yield* sql`alter table outputs attach partition outputs_default default`
})
