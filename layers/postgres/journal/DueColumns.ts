import * as Instructions from "#layers/postgres/journal/Instructions.ts"
import { Schema } from "effect"

/** The small columns of a due row, by name. `recovered` is the expression for the one of that name. */
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

/** What the caller said: by far the larger part of a row. */
const said = { recipient: "m.recipient", instructions: Instructions.of("m") }

/** The columns of a due row of `messages m`. `size`: the bytes of what the caller said, known without reading them. */
export const of = (recovered: string): string =>
  [
    ...Object.entries(plain(recovered)).map(([name, expression]) => `${expression} as "${name}"`),
    ...Object.entries(said).map(([name, expression]) => `${expression} as ${name}`),
    `(${Object.values(said).map((expression) => `octet_length(${expression})`).join(" + ")})::float8 as size`
  ].join(", ")

/**
 * Bounds what a look reads: of the rows of a relation, in this order, the first ones come with what the caller said,
 * until that is more than `bytes` (a parameter). The very first does in any case, if `bytes` is above 0. The others
 * come without (`isOver`): only their place is known. Unbounded, one look came to a gigabyte.
 * The bytes are shared out between turns, counting those that each `had` before: otherwise a turn with large messages
 * would keep all turns behind it unread, look after look.
 */
export const bounded = (relation: string, more: ReadonlyArray<string>, order: string, bytes: string): string => `
  select ${[...Object.keys(plain("")), ...more, "size"].map((name) => `w."${name}"`).join(", ")},
    ${Object.keys(said).map((name) => `case when w.before < ${bytes} then w.${name} end as ${name}`).join(", ")},
    w.before >= ${bytes} as "isOver"
  from (
    select t.*, sum(t.size) over (order by t.ahead, ${order} rows unbounded preceding) - t.size as before
    from (
      select r.*, r.had + sum(r.size) over (partition by r.turn order by ${order} rows unbounded preceding) - r.size as ahead
      from (${relation}) r) t) w
  order by ${order}`

/** The columns that `bounded` adds. */
export const bounds = { size: Schema.Number, isOver: Schema.Boolean }

/** The size of a row of `bounded`, and whether it came without what the caller said. */
export type Bounded = typeof Bounded.Type
const Bounded = Schema.Struct(bounds)

/** How many bytes each of these turns has had in these rows. */
export const had = (rows: ReadonlyArray<Bounded & { readonly turn: string }>, turns: ReadonlyArray<string>) => {
  const bytes = new Map<string, number>()
  for (const { size, turn } of rows) bytes.set(turn, (bytes.get(turn) ?? 0) + size)
  return turns.map((turn) => bytes.get(turn) ?? 0)
}

/** What these rows leave of so many bytes: nothing if one of them came without what the caller said. */
export const left = (rows: ReadonlyArray<Bounded>, bytes: number): number =>
  rows.some(({ isOver }) => isOver) ? 0 : rows.reduce((left, { size }) => left - size, bytes)
