import * as StepRows from "#layers/postgres/journal/StepRows.ts"
import { stamps } from "#layers/postgres/journal/Stamps.ts"
import * as Texts from "#layers/postgres/journal/Texts.ts"
import * as Told from "#layers/postgres/webhooks/Told.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { firstAsked } from "#src/reports/PushTickets.ts"

/** The status this step leaves, given the stored one. */
const status = "case when m.status = any(x.sources) then coalesce(x.target, m.status) else m.status end"

/**
 * The columns that an outcome writes over its intent. An attempt that a receipt has proved meanwhile keeps what the
 * receipt said, and gets the reference if it had none.
 */
const outcome = ["state", "kind", "ended_at", "retry_after", "error"]

const stampNames = stamps.map(([, column]) => column)

/**
 * SQL: whether the step shows what the message's channel showed when it was last rendered. What a message shows is stored
 * with one of its request, whose id begins as its own does.
 */
const isRepeated = `coalesce((select o.rendered from attempts a
    join outputs o on o.scope = a.scope and o.message_id = a.output_of and o.number = a.number
      and o.message_id >= left($3::text, ${Ids.originLength}) and o.message_id < left($4::text, ${Ids.originLength}) || 'g'
    where a.scope = m.scope and a.message_id = m.id and a.message_id between $3 and $4 and a.channel = m.channel and a.number < m.number
    order by a.number desc limit 1) = (select text from ${Texts.relation(10)} where texts.n = m.output), false)`

const overIntent =
  `on conflict (scope, message_id, number) do update set outcome_events = coalesce(attempts.outcome_events, excluded.outcome_events),
      reference = coalesce(attempts.reference, excluded.reference)
      ${
    outcome.map((name) =>
      `, ${name} = case when attempts.state = 'intent' then excluded.${name} else attempts.${name} end`
    ).join("")
  }
    where excluded.state <> 'intent' and (attempts.state = 'intent' or attempts.outcome_events is null)`

const attempts = (which: string, onConflict: string): string =>
  `as (insert into attempts (scope, message_id, number, epoch, channel, provider, state, kind, started_at, ended_at, retry_after,
      reference, error, intent_events, outcome_events, output_of)
    select scope, id, number, epoch, channel, provider, state, kind, started_at, ended_at, retry_after, reference, attempt_error,
      case when state = 'intent' then text end, case when state <> 'intent' then text end, output_of
    from shown left join ${Texts.relation(6)} using (n) where number is not null ${which}
    ${onConflict})`

/** What there is in a batch of steps: a statement does only what its batch needs. */
export interface Kind {
  /** All renderings are of first attempts. Then no earlier ones are looked up, which would open two more tables. */
  readonly isFirst: boolean
  /** Some steps have push tickets. Only few have any, and for the others nothing of them is sent. */
  readonly hasTickets: boolean
  /**
   * Webhooks want to know of messages. The status before is read by the statement's snapshot, so that it is the one
   * before this statement.
   */
  readonly isHeard: boolean
  /** No intent is stored already, and no rendering (`Repeats`). */
  readonly areNew: boolean
}

/**
 * Writes a batch of steps in one autocommit statement.
 * - `current` locks the epoch rows `for share`: without the lock, a stale settle slips past a new owner.
 * - The id bounds ($3, $4) let the planner skip the partitions that the batch does not touch.
 * - `valid` is materialized, so that it is one relation: of a join, the planner may look a message up by half of its
 *   key. It is in the order of ids, in which all who lock several messages take them (`Rename`).
 * - `shown` is a window over `moved` and no join: the planner estimates both at one row, and would scan the batch once
 *   for each of its rows.
 */
const statement = ({ areNew, hasTickets, isFirst, isHeard }: Kind) => `
  with x as (select * from json_to_recordset($1::json) as x(${StepRows.ownTypes})),
  current as (select shard, epoch from epochs where shard = any($5::smallint[]) order by shard for share),
  valid as materialized (select * from x join current using (shard, epoch) join json_to_recordset($2::json) as kinds(${StepRows.kindTypes}) using (k)
    order by id collate "C"),
  moved as (update messages m set
      status = ${status},
      reason = case when x.target is not null and m.status = any(x.sources) then coalesce(x.reason, m.reason) else m.reason end,
      error = case when x.target is not null and m.status = any(x.sources) then x.error else m.error end,
      due_at = case when m.due_at is null or m.due_at <> coalesce(x.read_due_at, 0) then m.due_at
        when not x.closes then coalesce(x.due_at, m.due_at) end,
      tries = coalesce(x.tries, m.tries),
      tenant_id = coalesce(m.tenant_id, x.in_tenant),
      template = coalesce(x.of_template, m.template),
      ${stampNames.map((name) => `${name} = coalesce(m.${name}, case when x.${name} then x.at end)`).join(", ")},
      providers = case when x.provider is null or x.provider = any(m.providers) then m.providers else m.providers || x.provider end
    from valid x
    where m.scope = x.scope and m.id = x.id and m.id between $3 and $4
      and (not x.conditional or (m.due_at is not null and m.status = any(x.sources)))
    returning m.status as left_status, nullif(m.due_at, coalesce(x.due_at, x.read_due_at, 0)) as stirred, x.n, x.scope, x.id, x.at, x.epoch, x.step, x.number, x.channel, x.provider, x.state, x.kind,
      x.started_at, x.ended_at, x.retry_after, x.reference, x.attempt_error, x.user_id, x.tenant_id, x.created_at, x.expires_at, x.output${
  isHeard
    ? `, x.target,
      (select o.status from messages o where o.scope = m.scope and o.id = m.id and o.id between $3 and $4) as status_before`
    : ""
}),
  shown as (select m.*, min(id) filter (where output is not null${
  isFirst ? "" : ` and (number = 1 or not ${isRepeated})`
}) over (partition by output) as output_of from moved m),
  a ${
  areNew
    ? `${attempts("and state = 'intent'", "")}, b ${attempts("and state <> 'intent'", overIntent)}`
    : attempts("", overIntent)
},
  o as (insert into outputs (scope, message_id, number, rendered)
    select scope, id, number, text from shown join ${Texts.relation(10)} on texts.n = output where id = output_of ${
  areNew ? "" : "on conflict do nothing"
}),
  h as (insert into history (scope, message_id, at, step, events)
    select scope, id, at, step, text from moved join ${
  Texts.relation(6)
} using (n) where number is null on conflict do nothing),
  i as (insert into inbox (scope, user_id, message_id, tenant_id, created_at, expires_at, rendered)
    select scope, user_id, id, tenant_id, created_at, expires_at, text from moved join ${
  Texts.relation(8)
} using (n) on conflict do nothing)${
  hasTickets
    ? `,
  t as (insert into push_tickets (scope, message_id, number, provider, tickets, reached, sent_at, due_at)
    select scope, id, number, provider, text, false, at, at + ${firstAsked} from moved join ${
      Texts.relation(12)
    } using (n) on conflict do nothing)`
    : ""
}${
  isHeard
    ? `,
  w as (${
      Told.messages(`select scope, id, left_status as status, at, at as stored_at from moved
        where left_status = target and left_status <> status_before`)
    })`
    : ""
}
  select x.n, moved.left_status as status, moved.stirred::float8 as stirred, current.epoch is not null as current${
  isHeard ? `, ${Told.wake}` : ""
}
  from x left join current on current.shard = x.shard and current.epoch = x.epoch left join moved on moved.n = x.n`

const statements = new Map<string, string>()

/** The statement for batches of this kind, made once. */
export const of = (kind: Kind): string => {
  const name = `${kind.isFirst} ${kind.hasTickets} ${kind.isHeard} ${kind.areNew}`
  const known = statements.get(name) ?? statement(kind)
  statements.set(name, known)
  return known
}
