import { Status } from "#schemas/Status.ts"
import * as Events from "#layers/postgres/journal/Events.ts"
import * as Frames from "#layers/postgres/journal/Frames.ts"
import * as Outputs from "#layers/postgres/journal/Outputs.ts"
import { earliestDue } from "#layers/postgres/days/OpenRows.ts"
import * as StepRows from "#layers/postgres/journal/StepRows.ts"
import * as StepStatement from "#layers/postgres/journal/StepStatement.ts"
import * as Texts from "#layers/postgres/journal/Texts.ts"
import * as IdBounds from "#layers/postgres/statements/IdBounds.ts"
import * as Repeats from "#layers/postgres/statements/Repeats.ts"
import type { Step, StepResult } from "#src/delivery/Journal.ts"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const Written = Schema.Struct({
  n: Schema.Int,
  status: Schema.NullOr(Status),
  stirred: Schema.NullOr(Schema.Number),
  current: Schema.Boolean
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Written))

/**
 * Which refused steps are stored already, exactly as this owner wrote them: their flush was repeated, and met its own
 * rows. An intent is recognised even if a receipt has given it an outcome since.
 */
const stored = `
  select x.n, m.status
  from json_to_recordset($1::json) as x(n int, scope int, id text, number smallint, epoch bigint, started_at bigint, state text)
  join attempts a on a.scope = x.scope and a.message_id = x.id and a.number = x.number and a.epoch = x.epoch
    and a.started_at = x.started_at and (x.state = 'intent' or a.state = x.state) and a.message_id between $2 and $3
  join messages m on m.scope = x.scope and m.id = x.id and m.id between $2 and $3`
const decodeStored = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ n: Schema.Int, status: Status })))

const storedRow = ({ attempt, epoch, message }: Step, n: number) => ({
  n,
  scope: message.scope,
  id: message.id,
  number: attempt?.number,
  epoch,
  started_at: attempt?.startedAt,
  state: attempt?.state
})

export const write = (sql: SqlClient.SqlClient) => {
  const keep = Frames.keep(sql)
  const record = Effect.fnUntraced(function*(batch: ReadonlyArray<Step>, isHeard: boolean) {
    const outputs = Outputs.of(batch)
    const isFirst = batch.every(({ attempt }, n) => outputs[n] === undefined || attempt?.number === 1)
    const { kinds, rows } = StepRows.of(batch, outputs, earliestDue(yield* Clock.currentTimeMillis))
    const bounds = IdBounds.of(batch.map((step) => step.message.id))
    const shards = [...new Set(batch.map((step) => step.message.shard))]
    // Taken before the statement is sent: when it commits is not known, and its answer may be long on its way.
    const provenAtNanos = yield* Clock.monotonicTimeNanos
    const hasTickets = batch.some(({ tickets }) => tickets !== undefined)
    const values = [
      JSON.stringify(rows),
      JSON.stringify(kinds),
      ...bounds,
      shards,
      ...Texts.of(batch, Events.textOf),
      ...Texts.of(batch, ({ inbox }) => inbox === undefined ? undefined : Outputs.textOf(inbox.rendered)),
      ...Outputs.texts(batch, outputs),
      ...(hasTickets ? Texts.of(batch, ({ tickets }) => tickets && JSON.stringify(tickets)) : [])
    ]
    const answers = yield* Repeats.asNew(
      values,
      (areNew) => sql.unsafe(StepStatement.of({ isFirst, hasTickets, isHeard, areNew }), values)
    )
    const written = new Map((yield* Effect.orDie(decode(answers))).map((answer) => [answer.n, answer]))

    const refused = batch.flatMap((step, n) =>
      step.attempt !== undefined && written.get(n)?.current === true && written.get(n)?.status === null
        ? [storedRow(step, n)]
        : []
    )
    const repeated = refused.length === 0 ? [] : yield* sql.unsafe(stored, [JSON.stringify(refused), ...bounds]).pipe(
      Effect.flatMap((found) => Effect.orDie(decodeStored(found)))
    )
    return batch.map((_, n): StepResult => {
      const answer = written.get(n)
      if (answer === undefined || !answer.current) return { _tag: "Fenced" }
      if (answer.status !== null) {
        const { status, stirred } = answer
        return stirred === null
          ? { _tag: "Written", status, provenAtNanos }
          : { _tag: "Written", status, provenAtNanos, stirred }
      }
      const own = repeated.find((found) => found.n === n)
      return own === undefined ? { _tag: "Refused" } : { _tag: "Written", status: own.status, provenAtNanos }
    })
  })
  return (batch: ReadonlyArray<Step>, isHeard: boolean) => keep(Outputs.framesOf(batch), record(batch, isHeard))
}
