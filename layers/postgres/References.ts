import { orUnavailable } from "#layers/postgres/StoreErrors.ts"
import { MessageId } from "#schemas/MessageId.ts"
import type { Scope } from "#schemas/Scope.ts"
import { memory, References } from "#src/reports/References.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: MessageId })))

/** The least id of a message accepted at this time (epoch ms): it keeps the search to the partitions of the last days. */
const leastId = (at: number): string => `1-${Math.max(0, Math.floor(at / 1_000)).toString(16).padStart(8, "0")}`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return References.of({
    find: Effect.fn("References.find")(function*(scope: Scope, providers: ReadonlyArray<string>, reference: string) {
      const since = leastId((yield* Clock.currentTimeMillis) - memory)
      const rows = yield* sql`select message_id as id from attempts
        where scope = ${scope} and provider = any(${providers}::text[]) and reference = ${reference} and message_id >= ${since} limit 1`
      return Option.map(Array.head(yield* decode(rows)), ({ id }) => id)
    }, orUnavailable)
  })
})

/** Providers' references on Postgres. */
export const layer = Layer.effect(References, make)
