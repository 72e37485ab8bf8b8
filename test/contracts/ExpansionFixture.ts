import * as Addressing from "#src/delivery/intake/Addressing.ts"
import { encodePlace, type NewExpansion, start } from "#src/delivery/Expansion.ts"
import { type Advance, Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { Effect } from "effect"

export const instructions = { content: { title: "Hello", body: "World" } }

/** An expansion that the journal has accepted, with its owner. */
export const accepted = Effect.fnUntraced(function*(more: Partial<NewExpansion> = {}, where?: Fixture.World) {
  const place = where ?? (yield* Fixture.world)
  const journal = yield* Journal
  const id = Fixture.id(place.at)
  const expansion: NewExpansion = {
    id,
    scope: place.scope,
    shard: place.shard,
    keyState: "published",
    recipients: [{ list_id: "everyone" }],
    instructions,
    ...more
  }
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  const acceptance = { ...Fixture.acceptance(place, []), expansion }
  yield* journal.accept(acceptance)
  return { place, expansion, epoch, acceptance }
})

export type Accepted = Effect.Success<ReturnType<typeof accepted>>

export const pageOf = (
  { expansion, place }: Accepted,
  users: ReadonlyArray<string>,
  list = "everyone"
): Advance["page"] => {
  const request = { ...expansion, acceptedAt: place.at }
  return {
    common: Addressing.common(request, "bulk", place.at + 5),
    members: users.flatMap((user) => {
      const recipient = { user_id: user, list_id: list }
      const identity = Recipients.identify(place.scope, recipient)
      if (identity === undefined) return []
      return [Addressing.member(request, Ids.member(expansion.id, identity.key), recipient, identity, 64)]
    }),
    profiles: []
  }
}

export const step = (given: Accepted, more: Partial<Advance> = {}): Advance => ({
  expansion: given.expansion,
  owner: given.epoch,
  at: given.place.at + 5,
  from: encodePlace(start),
  to: encodePlace({ index: 0, after: { group: "", userId: "b" } }),
  page: pageOf(given, ["a", "b"]),
  tries: 0,
  epoch: given.epoch,
  state: "RUNNING",
  dueAt: 0,
  ...more
})

export const messagesOf = Effect.fnUntraced(function*({ expansion, place }: Accepted) {
  const log = yield* MessageLog
  const { items } = yield* log.list(place.scope, { ...Fixture.anything, traceId: expansion.id, limit: 1_000 })
  return items.toSorted((a, b) => a.recipient < b.recipient ? -1 : 1)
})

export const open = Effect.fnUntraced(function*({ place }: Accepted, now = place.at + 10) {
  const expansions = yield* Expansions
  return yield* expansions.open([place.shard], now, 10)
})
