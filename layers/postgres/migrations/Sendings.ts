import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Which requests were sent to a list: one row per request, in place of an index with two entries per message. The ids
 * of a request's messages begin as its own does, so they are found by the primary key.
 */
export const sendings = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table list_requests (
    scope int not null,
    list_id text collate "C" not null,
    request_id text collate "C" not null,
    primary key (scope, list_id, request_id)
  )`
  yield* sql`insert into list_requests select distinct scope, list_id, request_id from messages where list_id is not null`
  yield* sql`drop index messages_by_list`
  yield* sql`drop index messages_by_request`
})
