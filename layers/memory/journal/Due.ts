import { type MessageRow, openOf, type State } from "#layers/memory/State.ts"
import type { Due, Window } from "#src/delivery/Journal.ts"
import type { DueRow } from "#src/delivery/OpenMessage.ts"

const dueRow = (row: MessageRow, dueAt: number, takenAtSeq: number): DueRow => ({
  id: row.id,
  requestId: row.requestId,
  scope: row.scope,
  shard: row.shard,
  lane: row.lane,
  recipientKey: row.recipientKey,
  keyState: row.keyState,
  status: row.status,
  enqueuedAt: row.enqueuedAt,
  dueAt,
  tries: row.tries,
  recovered: row.seq <= takenAtSeq,
  recipient: row.recipient,
  instructions: row.instructions,
  attempts: row.attempts.map(({ epoch: _, ...attempt }) => attempt)
})

interface Found {
  readonly row: MessageRow
  readonly dueAt: number
  readonly takenAtSeq: number
}

/** Ready rows in the order of acceptance, timed ones in the order of their times; both cut for each lane, so neither starves the other. */
const byOrder = (a: Found, b: Found): number => a.dueAt - b.dueAt || a.row.seq - b.row.seq

export const due = (state: State, { fullMailboxes, held, lane, limit, now, shards }: Window): Due => {
  const inHand = new Set<string>(held)
  const full = new Set(fullMailboxes)
  const parts: Record<string, Array<Found>> = {}
  let next: number | undefined
  for (const { shard, takenAtSeq } of shards) {
    for (const row of openOf(state, shard)) {
      const { dueAt } = row
      if (dueAt === undefined || (lane !== undefined && row.lane !== lane)) continue
      if (dueAt > now) next = Math.min(next ?? dueAt, dueAt)
      else if (!inHand.has(row.id) && !full.has(row.recipientKey)) {
        const part = `${row.lane} ${dueAt > 0}`
        const found = parts[part] ??= []
        found.push({ row, dueAt, takenAtSeq })
      }
    }
  }
  const rows = Object.values(parts).flatMap((found) => found.toSorted(byOrder).slice(0, limit))
  const complete = rows.length < limit
  return {
    rows: rows.map((found) => dueRow(found.row, found.dueAt, found.takenAtSeq)),
    complete,
    next: complete ? next : undefined
  }
}
