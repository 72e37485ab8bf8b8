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
 * above 0; of the others (`isOver`), only where they stand. What a look did not bound came to a gigabyte at once. Each `turn` gets as much of
 * it as any other, with the bytes that it `had` before: else one with large messages keeps all who came after it out of look after look.
 */
export const bounded = (relation: string, more: ReadonlyArray<string>, order: string, bytes: string): string => `
  select ${[...Object.keys(plain("")), ...more, "size"].map((name) => `w."${name}"`).join(", ")},
    ${said.map((name) => `case when w.before < ${bytes} then w.${name} end as ${name}`).join(", ")},
    w.before >= ${bytes} as "isOver"
  from (
    select t.*, sum(t.size) over (order by t.ahead, ${order} rows unbounded preceding) - t.size as before
    from (
      select r.*, r.had + sum(r.size) over (partition by r.turn order by ${order} rows unbounded preceding) - r.size as ahead
      from (${relation}) r) t) w
  order by ${order}`

/** What `bounded` adds. */
export const bounds = { size: Schema.Number, isOver: Schema.Boolean }

/** A row that `bounded` told, where it stands. */
export type Bounded = typeof Bounded.Type
const Bounded = Schema.Struct(bounds)

/** What each of the turns has had in these rows. */
export const had = (rows: ReadonlyArray<Bounded & { readonly turn: string }>, turns: ReadonlyArray<string>) => {
  const bytes = new Map<string, number>()
  for (const { size, turn } of rows) bytes.set(turn, (bytes.get(turn) ?? 0) + size)
  return turns.map((turn) => bytes.get(turn) ?? 0)
}

/** Of so many bytes, what rows leave: nothing if there is one of which only the place is known. */
export const left = (rows: ReadonlyArray<Bounded>, bytes: number): number =>
  rows.some(({ isOver }) => isOver) ? 0 : rows.reduce((left, { size }) => left - size, bytes)
