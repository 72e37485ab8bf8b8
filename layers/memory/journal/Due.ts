import { type MessageRow, openOf, type State } from "#layers/memory/State.ts"
import * as HeldUp from "#src/delivery/shards/HeldUp.ts"
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

export const due = (
  state: State,
  { bytes, fullMailboxes, fullTurns, held, heldUp: before, lane, limit, now, shards }: Window
): Due => {
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
    const late = (asked: ReadonlyArray<Found>, rows: ReadonlyArray<Found>) => {
      const known = new Set(rows)
      return asked.filter((row) =>
        ready.some((older) => older.seq < row.seq && older.recipientKey === row.recipientKey && !known.has(older))
      )
    }
    const passing = late(cut.doubtful, Turns.without(taken, cut.dropped))
    const overdue = mine.filter(({ dueAt }) => dueAt > 0).toSorted((a, b) => a.dueAt - b.dueAt || a.seq - b.seq)
    const waiting = overdue.filter(({ recipientKey, turn }) => !full.has(recipientKey) && !fullTurns.includes(turn))
    const byTurn = Map.groupBy(waiting, ({ turn }) => turn)
    const most = overdue.length > limit ? Turns.share(limit, [...byTurn.keys()]) : limit + 1
    const due = [...byTurn.values()].flatMap((rows) => rows.slice(0, most)).toSorted((a, b) => a.dueAt - b.dueAt)
    const timed = fitting(due, bytes)
    const kept = Turns.without(taken, [...cut.dropped, ...passing])
    const heldUp = HeldUp.make(before)
    const stuck = HeldUp.found(
      cut.doubtful,
      (row) => passing.includes(row),
      new Set([...short, ...cut.dropped.map(({ turn }) => turn)])
    )
    for (const turn of turns) if (!stuck.has(turn)) heldUp.freed(turn)
    const room = Math.min(limit - kept.length, HeldUp.mostPassed)
    const goOn = room > 0 ? [...stuck] : []
    const more = Turns.share(room, [...stuck.keys()])
    const behind = goOn.flatMap(([turn, asked]) =>
      looked.filter((row) => row.turn === turn && row.seq > heldUp.from(turn, asked)).slice(0, more)
    ).toSorted((a, b) => a.seq - b.seq)
    const next = fitting(behind, kept.reduce((left, row) => left - sizeOf(row), bytes))
    const unfinished = new Set([...Turns.atShare(behind, more), ...Turns.without(behind, next).map(({ turn }) => turn)])
    for (const [turn, asked] of goOn) {
      const last = next.findLast((row) => row.turn === turn)
      heldUp.went(turn, last?.seq ?? heldUp.from(turn, asked), unfinished.has(turn))
    }
    const left = [...kept, ...Turns.without(next, late(next, [...kept, ...next]))]
    const isQuiet = left.length === 0 && fullTurns.length > 0
    // All other rows wait behind a turn that is full: another look would find the same.
    const halted = isQuiet && !heldUp.goesOn()
    return {
      rows: [...left, ...timed],
      heldUp: heldUp.next(isQuiet),
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
    heldUp: parts.find((part) => part.heldUp.size > 0)?.heldUp ?? new Map(),
    next: complete ? next : undefined
  }
}
