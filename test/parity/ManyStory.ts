import { UserId } from "#schemas/Profile.ts"
import * as Addressing from "#src/delivery/intake/Addressing.ts"
import { encodePlace, type NewExpansion, start } from "#src/delivery/Expansion.ts"
import { type Advance, Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"
import { Journal } from "#src/delivery/Journal.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { type Command, pages, type Story } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect } from "effect"

const users = ["a", "A", "é", "e\u0301"].map((id) => UserId.make(id))
const user = ({ below }: Chooser) => users[below(users.length)] ?? Fixture.user

/** Requests to many, their pages and their messages. */
export const requests: Story = (place) => {
  const { scope } = place
  const expansions: Array<NewExpansion> = []
  let made = 0
  const say = (said: unknown, run: Command["run"]): Command => ({ said, run })
  const many = (c: Chooser): Command => {
    const given = expansions[c.below(Math.max(1, expansions.length))]
    const [stale, users, at] = [
      c.below(6) === 0,
      Array.from({ length: c.below(4) }, () => user(c)),
      place.at + c.below(9)
    ]
    const [from, to, ended, due, tries] = [
      c.below(2),
      c.below(2),
      c.below(6) === 0,
      c.from([0, 0, place.at + 5]),
      c.below(3)
    ]
    const limit = 1 + c.below(3)
    if (given === undefined || c.below(5) === 0) {
      const expansion: NewExpansion = {
        id: Ids.make(at, new Uint8Array(11).fill(200 + ++made % 50)),
        scope,
        shard: place.shard,
        keyState: "draft",
        recipients: [{ list_id: "l", data: { text: "\ud800\u0000" } }],
        instructions: { content: { title: "t", body: "b" } }
      }
      expansions.push(expansion)
      return say(
        ["accept", expansion.id],
        Journal.use((_) => _.accept({ ...Fixture.acceptance(place, []), expansion, at }))
      )
    }
    const place_ = (n: number) =>
      n === 0 ? encodePlace(start) : encodePlace({ index: 0, after: { group: "", userId: `${n}` } })
    const request = { ...given, acceptedAt: place.at }
    const page: Advance["page"] = users.length === 0 ? undefined : {
      common: Addressing.common(request, "bulk", at),
      members: users.flatMap((user_id) => {
        const recipient = { user_id, list_id: "l" }
        const identity = Recipients.identify(scope, recipient)
        return identity === undefined
          ? []
          : [Addressing.member(request, Ids.member(given.id, identity.key), recipient, identity, 64)]
      }),
      profiles: users.map((userId) => ({ scope, userId, profile: {} }))
    }
    return c.from([
      () =>
        say(
          ["advance", given.id, from, to, users, ended, due],
          Effect.gen(function*() {
            const { epoch } = yield* Journal.use((_) => _.take(place.shard, "node", place.at))
            return yield* Expansions.use((_) =>
              _.advance({
                expansion: given,
                owner: stale ? epoch - 1 : epoch,
                at,
                from: place_(from),
                to: place_(to),
                page,
                tries,
                epoch: 0,
                state: ended ? "COMPLETED" : "RUNNING",
                dueAt: ended ? null : due,
                error: stale ? undefined : "é"
              })
            )
          })
        ),
      () => say(["request", given.id], Expansions.use((_) => _.find(scope, given.id))),
      () => say(["open", at, limit], Expansions.use((_) => _.open([place.shard], at, limit))),
      () => say(["archive", given.id], MessageLog.use((_) => _.archive(scope, given.id))),
      () =>
        say(
          ["messages", given.id],
          pages((cursor) => MessageLog.use((_) => _.list(scope, { ...Fixture.anything, list: "l", limit, cursor })))
        )
    ])()
  }
  return many
}
