import type { Scope } from "#schemas/Scope.ts"
import { UnknownBrand } from "#src/content/Templates.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

/** Fails unless these brands exist; locks them, so that they stay until the change commits. */
export const check = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, scope: Scope, ids: ReadonlyArray<string>) {
  if (ids.length === 0) return
  const rows = yield* sql`select id from brands where scope = ${scope} and id = any(${ids}::text[])
    order by id for key share`
  const found = new Set((yield* decode(rows)).map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing !== undefined) return yield* new UnknownBrand({ id: missing })
})
