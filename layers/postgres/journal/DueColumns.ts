import { Schema } from "effect"

/** What tells who and where a message is, by name. `recovered`: whether its row is. */
const plain = (recovered: string): Readonly<Record<string, string>> => ({
  id: "m.id",
  requestId: "m.request_id",
  scope: "m.scope",
  tenantId: "m.tenant_id",
  shard: "m.shard",
  lane: "m.lane",
  recipientKey: "m.recipient_key",
  keyState: "m.key_state",
  status: "m.status",
  enqueuedAt: "m.enqueued_at::float8",
  dueAt: "m.due_at::float8",
  tries: "m.tries",
  recovered,
  seq: "m.seq::float8",
  isTried: "m.providers <> '{}'"
})

/** What the caller said, the larger part of a row by far. */
const said = ["recipient", "instructions"]

/** A due row of `messages m`, and what it brings in bytes: told without a look into what is stored apart. */
export const of = (recovered: string): string =>
  [
    ...Object.entries(plain(recovered)).map(([name, expression]) => `${expression} as "${name}"`),
    ...said.map((name) => `m.${name}`),
    `(${said.map((name) => `octet_length(m.${name})`).join(" + ")})::float8 as size`
  ].join(", ")

/**
 * The rows of a relation in an order: what was said in them until that is more than `bytes` (a parameter), the first in any case if that is
 * above 0; of those behind (`isOver`), only where they stand. What a look did not bound came to a gigabyte at once.
 */
export const bounded = (relation: string, more: ReadonlyArray<string>, order: string, bytes: string): string => `
  select ${[...Object.keys(plain("")), ...more, "size"].map((name) => `w."${name}"`).join(", ")},
    ${said.map((name) => `case when w.before < ${bytes} then w.${name} end as ${name}`).join(", ")},
    w.before >= ${bytes} as "isOver"
  from (select r.*, sum(r.size) over (order by ${order} rows unbounded preceding) - r.size as before from (${relation}) r) w
  order by ${order}`

/** What `bounded` adds. */
export const bounds = { size: Schema.Number, isOver: Schema.Boolean }

/** A row that `bounded` told, where it stands. */
export type Bounded = typeof Bounded.Type
const Bounded = Schema.Struct(bounds)

/** The rows before the first of which only the place is known, and what is left of the bytes behind them. */
export const fitting = <A extends Bounded>(rows: ReadonlyArray<A>, bytes: number) => {
  const over = rows.findIndex(({ isOver }) => isOver)
  const within = over === -1 ? rows : rows.slice(0, over)
  return { within, isWhole: over === -1, left: over === -1 ? within.reduce((left, { size }) => left - size, bytes) : 0 }
}
