import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { memory, References } from "#src/reports/References.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: MessageId })))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return References.of({
    find: Effect.fn("References.find")(function*(scope: Scope, providers: ReadonlyArray<string>, reference: string) {
      // This bound limits the search to the partitions of the last days.
      const since = Ids.from((yield* Clock.currentTimeMillis) - memory)
      const rows = yield* sql`select message_id as id from attempts
        where scope = ${scope} and provider = any(${providers}::text[]) and reference = ${reference} and message_id >= ${since} limit 1`
      return Option.map(Array.head(yield* decode(rows)), ({ id }) => id)
    }, orUnavailable)
  })
})

/** Providers' references on Postgres. */
export const layer = Layer.effect(References, make)
