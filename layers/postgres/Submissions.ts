import { orUnavailable } from "#layers/postgres/statements/StoreErrors.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as TypeId from "#src/access/TypeId.ts"
import { Check, merged, SubmissionNotFound, Submissions } from "#src/content/Submissions.ts"
import { TemplateNotFound } from "#src/content/Templates.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Array, Clock, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const checksText = Schema.fromJsonString(Schema.Array(Check))
const encode = Schema.encodeEffect(checksText)
const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ checks: checksText })))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const newId = yield* TypeId.generator("sub")
  const tell = Told.telling(sql)

  const find = Effect.fnUntraced(function*(scope: Scope, templateId: string, id: string, lock: boolean) {
    const rows = yield* sql`select checks from template_submissions
      where scope = ${scope} and template_id = ${templateId} and id = ${id} ${sql.literal(lock ? "for update" : "")}`
      .pipe(Effect.flatMap(decode))
    const row = Array.head(rows)
    return Option.isSome(row) ? row.value.checks : yield* new SubmissionNotFound({ id })
  })

  const submit: Submissions["Service"]["submit"] = Effect.fnUntraced(
    function*(scope, templateId) {
      const id = yield* newId
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`insert into template_submissions (scope, template_id, id, checks, created_at)
      select scope, id, ${id}, '[]', ${now}::bigint from templates
      where scope = ${scope} and id = ${templateId} and not archived returning 1`
      if (rows.length === 0) return yield* new TemplateNotFound({ id: templateId })
      yield* tell(scope, [Others.submitted(templateId, id)], now)
      return id
    },
    sql.withTransaction,
    orUnavailable
  )

  const putChecks: Submissions["Service"]["putChecks"] = Effect.fnUntraced(
    function*(scope, templateId, id, checks) {
      const stored = yield* find(scope, templateId, id, true)
      const after = merged(stored, checks, yield* Clock.currentTimeMillis)
      yield* sql`update template_submissions set checks = ${yield* encode(after)}
        where scope = ${scope} and template_id = ${templateId} and id = ${id}`
      return after
    },
    sql.withTransaction,
    orUnavailable
  )

  const withdraw: Submissions["Service"]["withdraw"] = Effect.fnUntraced(
    function*(scope, templateId, id) {
      const rows = yield* sql`delete from template_submissions
      where scope = ${scope} and template_id = ${templateId} and id = ${id} returning 1`
      if (rows.length === 0) return yield* new SubmissionNotFound({ id })
      const now = yield* Clock.currentTimeMillis
      yield* tell(scope, [Others.withdrawn(templateId, id, now)], now)
    },
    sql.withTransaction,
    orUnavailable
  )

  return Submissions.of({
    submit,
    checks: (scope, templateId, id) => orUnavailable(find(scope, templateId, id, false)),
    putChecks,
    withdraw
  })
})

/** The submissions on Postgres. */
export const layer = Layer.effect(Submissions, make)
