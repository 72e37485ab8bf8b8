import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The lines that an attempt leaves in a message's timeline stand in its own row: its intent's and its outcome's, JSON without what was rendered.
 * That is a row of its own, which the attempts of a request may have in common: `output_of` is the message that it was stored with. A row of
 * `history` beside each of an attempt's two writes cost the database as much as the attempt.
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
