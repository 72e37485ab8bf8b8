import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Stores the page around a mail once: it was nine tenths of what a row of `outputs` held. A row of `frames` has the
 * pieces of a page as a JSON array, a hash of that as its name, and when the page was last used (epoch ms). An output
 * that names a frame has an empty `html`, and the parts that go between the pieces; one that names none is whole, as all
 * were before. The version before reads both, and shows the former's `html` empty.
 */
export const frames = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table frames (
    scope int not null,
    name text collate "C" not null,
    pieces text not null,
    used_at bigint not null,
    primary key (scope, name)
  )`
})
