import { stamps } from "#layers/postgres/journal/Stamps.ts"
import type { Status } from "#schemas/Status.ts"
import type { Step } from "#src/delivery/Journal.ts"
import * as Lifecycle from "#src/delivery/Lifecycle.ts"

/**
 * What a run of lifecycle events is in SQL. Remembered, since there are few different runs and each step writes one.
 */
const runs = new Map<
  string,
  {
    readonly sources: ReadonlyArray<Status>
    readonly target: Status | undefined
    readonly stamped: Readonly<Record<string, true>>
  }
>()
const runOf = (name: string, lifecycle: Step["lifecycle"]) => {
  const known = runs.get(name)
  if (known !== undefined) return known
  const run = {
    sources: Lifecycle.sources(lifecycle),
    target: Lifecycle.target(lifecycle),
    stamped: Object.fromEntries(
      stamps.flatMap(([event, column]) => lifecycle.includes(event) ? [[column, true as const]] : [])
    )
  }
  runs.set(name, run)
  return run
}

/**
 * What many steps of a batch share, sent once for all of them. It is most of a step, and parsing it for each step was
 * the largest cost of the database.
 */
const kindOf = (
  { attempt, conditional, dueAt, from, lifecycle, message, reason, tries }: Step,
  k: number,
  run: string
) => {
  const { sources, stamped, target } = runOf(run, lifecycle)
  return {
    k,
    scope: message.scope,
    sources: from ?? sources,
    target,
    ...stamped,
    conditional,
    reason,
    closes: dueAt === null,
    tries,
    number: attempt?.number,
    channel: attempt?.channel,
    provider: attempt?.provider,
    state: attempt?.state,
    kind: attempt?.kind,
    step: `${attempt?.number ?? 0}:${attempt?.state ?? "step"}:${run}`
  }
}

export const kindTypes = `k int, scope int, sources text[], target text,
  ${stamps.map(([, column]) => `${column} boolean`).join(", ")},
  conditional boolean, reason text, closes boolean, tries smallint, number smallint, channel text, provider text, state text, kind text,
  step text`

/** A time that may come from outside, as a column of whole ms takes it: a row must not be refused for a fraction. */
const whole = (time: number | null | undefined): number | undefined =>
  typeof time === "number" ? Math.ceil(time) : undefined

/** 0, which is now, is not a time: its row is ready. */
const dueInSight = (dueAt: Step["dueAt"], earliestDue: number): number | undefined =>
  typeof dueAt === "number" && dueAt > 0 ? whole(Math.max(dueAt, earliestDue)) : whole(dueAt)

const own = (
  { at, attempt, dueAt, epoch, error, inbox, message }: Step,
  n: number,
  k: number,
  output: number | undefined,
  earliestDue: number
) => ({
  n,
  k,
  id: message.id,
  shard: message.shard,
  epoch,
  at,
  started_at: attempt?.startedAt,
  // `undefined` leaves a column out of the JSON: a null would be sent and parsed as well.
  ended_at: attempt?.endedAt ?? undefined,
  retry_after: whole(attempt?.retryAfter),
  reference: attempt?.reference ?? undefined,
  attempt_error: attempt?.error ?? undefined,
  due_at: dueInSight(dueAt, earliestDue),
  read_due_at: message.dueAt === 0 ? undefined : whole(message.dueAt),
  error,
  in_tenant: message.recipient?.tenant_id ?? undefined,
  of_template: message.templateId,
  user_id: inbox?.userId,
  tenant_id: inbox?.tenantId,
  created_at: inbox?.createdAt,
  expires_at: inbox?.expiresAt,
  output
})

export const ownTypes =
  `n int, k int, id text, shard smallint, epoch bigint, at bigint, started_at bigint, ended_at bigint,
  retry_after bigint, reference text, attempt_error text, due_at bigint, read_due_at bigint, error text, in_tenant text, of_template text, user_id text, tenant_id text,
  created_at bigint, expires_at bigint, output int`

/**
 * A batch as `rows`, what each step has of its own, and `kinds`, what steps share. `outputs` is the answer of
 * `Outputs.of`. What would be due before `earliestDue` (epoch ms) is due then.
 */
export const of = (batch: ReadonlyArray<Step>, outputs: ReadonlyArray<number | undefined>, earliestDue = 0) => {
  const kinds = new Map<string, ReturnType<typeof kindOf>>()
  const rows = batch.map((step, n) => {
    const { attempt, conditional, dueAt, from, lifecycle, message, reason, tries } = step
    const run = lifecycle.join("+")
    // A safe separator: no text of a step holds a NUL.
    const name = [
      run,
      message.scope,
      conditional,
      // No statuses are none, and not those of the edges.
      from ?? "edges",
      dueAt === null,
      reason,
      tries,
      attempt?.number,
      attempt?.channel,
      attempt?.provider,
      attempt?.state,
      attempt?.kind
    ].join("\u0000")
    const known = kinds.get(name) ?? kindOf(step, kinds.size, run)
    kinds.set(name, known)
    return own(step, n, known.k, outputs[n], earliestDue)
  })
  return { rows, kinds: [...kinds.values()] }
}
