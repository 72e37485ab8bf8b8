import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { memory, References } from "#src/reports/References.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ reference: Schema.String, id: MessageId })))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return References.of({
    find: Effect.fn("References.find")(function*(
      scope: Scope,
      providers: ReadonlyArray<string>,
      references: ReadonlyArray<string>
    ) {
      // This bound limits the search to the partitions of the last days.
      const since = Ids.from((yield* Clock.currentTimeMillis) - memory)
      const rows = yield* sql`select x.reference, a.id from unnest(${references}::text[]) as x(reference)
        cross join lateral (select message_id as id from attempts
          where scope = ${scope} and provider = any(${providers}::text[]) and reference = x.reference
            and message_id >= ${since} limit 1) as a`
      return new Map((yield* decode(rows)).map(({ id, reference }) => [reference, id]))
    }, orUnavailable)
  })
})

/** Providers' references on Postgres. */
export const layer = Layer.effect(References, make)
