import { type MessageRow, openOf, type State } from "#layers/memory/State.ts"
import * as Turns from "#src/delivery/shards/Turns.ts"
import type { Due, Window } from "#src/delivery/Journal.ts"
import { turnOf } from "#src/delivery/shards/LaneShares.ts"
import { type DueRow, Lane } from "#src/delivery/journal/OpenMessage.ts"

const dueRow = ({ dueAt, row, takenAtSeq }: Found): DueRow => ({
  id: row.id,
  requestId: row.requestId,
  scope: row.scope,
  tenantId: row.tenantId,
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
  readonly seq: number
  readonly turn: string
  readonly recipientKey: string
  readonly dueAt: number
  readonly takenAtSeq: number
}

const sizeOf = ({ row }: Found): number => Buffer.byteLength(row.recipient) + Buffer.byteLength(row.instructions)

/** The rows that fit into `bytes`, by what callers said in them. Turns share the bytes equally, first rows first. */
const fitting = (rows: ReadonlyArray<Found>, bytes: number): ReadonlyArray<Found> => {
  if (rows.reduce((sum, row) => sum + sizeOf(row), 0) <= bytes) return rows
  const ofTurn = new Map<string, number>()
  const places = rows.map((row) => {
    const size = sizeOf(row)
    const ahead = ofTurn.get(row.turn) ?? 0
    ofTurn.set(row.turn, ahead + size)
    return { row, size, ahead }
  })
  const within = new Set<Found>()
  let left = bytes
  for (const { row, size } of places.toSorted((a, b) => a.ahead - b.ahead)) {
    if (left <= 0) break
    within.add(row)
    left -= size
  }
  return rows.filter((row) => within.has(row))
}

export const due = (state: State, { bytes, fullMailboxes, fullTurns, held, lane, limit, now, shards }: Window): Due => {
  const inHand = new Set<string>(held)
  const full = new Set(fullMailboxes)
  const found: Array<Found> = []
  let next: number | undefined
  for (const { shard, takenAtSeq } of shards) {
    for (const row of openOf(state, shard)) {
      const { dueAt, recipientKey, seq } = row
      if (dueAt === undefined || (lane !== undefined && row.lane !== lane)) continue
      if (dueAt > now) next = Math.min(next ?? dueAt, dueAt)
      else if (!inHand.has(row.id)) found.push({ row, seq, turn: turnOf(row), recipientKey, dueAt, takenAtSeq })
    }
  }
  const parts = (lane === undefined ? Lane.literals : [lane]).map((one) => {
    const mine = found.filter(({ row }) => row.lane === one)
    const ready = mine.filter(({ dueAt }) => dueAt === 0).toSorted((a, b) => a.seq - b.seq)
    const turns = [...new Set(ready.map(({ turn }) => turn))].filter((turn) => !fullTurns.includes(turn))
    const share = Turns.share(limit, turns)
    const looked = ready.filter(({ recipientKey }) => !full.has(recipientKey))
    const shared = turns.flatMap((turn) => looked.filter((row) => row.turn === turn).slice(0, share)).toSorted((a, b) =>
      a.seq - b.seq
    )
    const taken = fitting(shared, bytes)
    const over = Turns.without(shared, taken).map(({ turn }) => turn)
    const short = [...new Set([...Turns.atShare(shared, share), ...over])]
    const cut = Turns.cut({ rows: taken, short, allSeen: fullTurns.length === 0 })
    const known = new Set(Turns.without(taken, cut.dropped))
    const passing = cut.doubtful.filter((row) =>
      ready.some((older) => older.seq < row.seq && older.recipientKey === row.recipientKey && !known.has(older))
    )
    const overdue = mine.filter(({ dueAt }) => dueAt > 0).toSorted((a, b) => a.dueAt - b.dueAt || a.seq - b.seq)
    const waiting = overdue.filter(({ recipientKey, turn }) => !full.has(recipientKey) && !fullTurns.includes(turn))
    const byTurn = Map.groupBy(waiting, ({ turn }) => turn)
    const most = overdue.length > limit ? Turns.share(limit, [...byTurn.keys()]) : limit + 1
    const due = [...byTurn.values()].flatMap((rows) => rows.slice(0, most)).toSorted((a, b) => a.dueAt - b.dueAt)
    const timed = fitting(due, bytes)
    const left = Turns.without(taken, [...cut.dropped, ...passing])
    // All other rows wait behind a turn that is full: another look would find the same.
    const halted = left.length === 0 && fullTurns.length > 0
    return {
      rows: [...left, ...timed],
      complete: (halted || (cut.complete && (passing.length === 0 || fullTurns.length > 0))) &&
        timed.length === due.length && Turns.atShare(due, most).length === 0
    }
  })
  const complete = parts.every((part) => part.complete)
  return {
    rows: parts.flatMap(({ rows }) => rows.map(dueRow)),
    complete,
    upTo: undefined,
    timedUpTo: undefined,
    next: complete ? next : undefined
  }
}
