import type { HistoryEvent } from "#schemas/History.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Status } from "#schemas/Status.ts"
import { Journal, type NewMessage, type Window } from "#src/delivery/Journal.ts"
import type { DueRow } from "#src/delivery/journal/OpenMessage.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { pages } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect } from "effect"

import type { Scope } from "#schemas/Scope.ts"
const short = ["a", "A", "é", "", "\u{1f984}"] as const
const lanes = ["transactional", "bulk"] as const
const providers = ["null", "smtp", "SMTP"] as const
const missing = MessageId.make("1-00000000-000000000000000000000000")

/** Looks, each holding what the ones before found, to the last: which rows one bounded look shows first is each store's own choice. */
const everyLook = Effect.fnUntraced(function*(window: Window) {
  const found: Array<DueRow> = []
  let after: string | undefined
  let timedAfter: string | undefined
  let heldUp: Window["heldUp"]
  for (let looks = 0; looks < 100; looks++) {
    const held = [...window.held, ...found.map(({ id }) => id)]
    const due = yield* Journal.use((_) => _.due({ ...window, held, after, timedAfter, heldUp }))
    const fromTheStart = after === undefined && timedAfter === undefined
    found.push(...due.rows)
    after = due.upTo
    timedAfter = due.timedUpTo
    heldUp = due.heldUp
    const isOver = after === undefined && timedAfter === undefined && heldUp.size === 0
    if (fromTheStart && due.rows.length === 0 && isOver) {
      return { next: due.next, rows: found.toSorted((a, b) => a.id < b.id ? -1 : 1) }
    }
  }
  return yield* Effect.die("due never ends")
})

/** Of one millisecond, which a store need not tell apart (`messagelog/Timelines`), in one order. */
const inOrder = (events: ReadonlyArray<HistoryEvent>) => {
  const place = ({ attempt, error, provider, ts, type }: HistoryEvent) =>
    JSON.stringify([ts, type, attempt, provider, error])
  return events.toSorted((a, b) => place(a) < place(b) ? -1 : 1)
}

/** Every reader of these messages, and the hiding of them. */
export const readers = ({ clock, messages, place, shards }: {
  readonly place: { readonly scope: Scope; readonly at: number }
  readonly shards: readonly [number, number]
  readonly messages: ReadonlyArray<NewMessage>
  readonly clock: () => number
}) => {
  const one = ({ below }: Chooser) => messages[below(Math.max(1, messages.length))]
  const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()

  const due = (choose: Chooser) => {
    const window = {
      shards: shards.map((shard) => ({ shard, takenAtSeq: choose.from([0, 1_000_000_000]) })),
      lane: maybe(choose, () => choose.from(lanes)),
      now: clock() + choose.from([0, 0, 10, 2_000]),
      held: messages.filter(() => choose.below(5) === 1).map(({ id }) => id),
      fullMailboxes: choose.from([[], [], ["ada"]]),
      fullTurns: choose.from([[], [], [`${place.scope}:`], [`${place.scope}:t`]]),
      limit: choose.from([1_000, 1_000, 1, 2, 3]),
      bytes: choose.from([1_000_000, 1_000_000, 1, 200, 400])
    }
    return { said: { due: window }, run: everyLook(window) }
  }

  const list = (choose: Chooser) => {
    const query = {
      ...Fixture.anything,
      limit: choose.from([1, 2, 3, 100]),
      archived: choose.below(3) === 0,
      enqueuedAfter: choose.below(4) === 0 ? place.at + choose.below(5) - 1 : undefined,
      event: choose.below(6) === 0 ? choose.from(short) : undefined,
      messageId: choose.below(8) === 0 ? (one(choose)?.id ?? "x") : undefined,
      notification: choose.below(6) === 0 ? choose.from(short) : undefined,
      providers: choose.below(4) === 0 ? [choose.from(providers), choose.from(short)] : [],
      recipient: choose.below(6) === 0 ? choose.from(short) : undefined,
      statuses: choose.below(4) === 0 ? [choose.from(Status.literals), "x"] : [],
      tags: choose.below(4) === 0 ? [choose.from(short), "é"] : [],
      tenantId: choose.below(6) === 0 ? choose.from(["t", "T", "", "u"]) : undefined,
      traceId: choose.below(6) === 0 ? choose.from([choose.from(short), one(choose)?.requestId ?? "x"]) : undefined
    }
    return {
      said: { list: query },
      run: pages((cursor) => MessageLog.use((log) => log.list(place.scope, { ...query, cursor })))
    }
  }

  const look = (choose: Chooser) => {
    const id = one(choose)?.id ?? missing
    const { scope } = place
    return {
      said: { look: id },
      run: Effect.gen(function*() {
        const log = yield* MessageLog
        return [
          yield* log.get(scope, id),
          yield* log.attempts(scope, id),
          inOrder(yield* log.history(scope, id)),
          yield* log.original(scope, id)
        ]
      })
    }
  }

  const archive = (choose: Chooser) => {
    const id = one(choose)?.requestId ?? missing
    return { said: { archive: id }, run: MessageLog.use((log) => log.archive(place.scope, id)) }
  }

  return { due, list, look, archive }
}
