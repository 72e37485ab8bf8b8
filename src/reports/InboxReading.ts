import type { MessageId } from "#schemas/MessageId.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Inbox, type Marking } from "#src/reports/Inbox.ts"
import { Clock, Effect } from "effect"

/** What a user does with an item: marks it, and follows one of its actions. */
export interface Deed extends Marking {
  readonly clicked?: boolean | undefined
}

/** Who reads or follows something has opened it, and who follows it has read it. */
const meant = ({ archived, clicked, opened, read }: Deed): Marking => ({
  archived,
  read: clicked === true ? true : read,
  opened: clicked === true || read === true ? true : opened
})

/**
 * Users who read their inbox. The first time that an item is opened, its message becomes OPENED, and CLICKED when one of
 * its actions is followed. What is marked together with all others was not looked at: its message stays as
 * it is.
 */
export const make = Effect.gen(function*() {
  const inbox = yield* Inbox
  const journal = yield* Journal

  const tell = Effect.fnUntraced(function*(scope: Scope, id: MessageId, event: "Click" | "Open") {
    const ts = yield* Clock.currentTimeMillis
    const type = event === "Click" ? "CLICKED" as const : "OPENED" as const
    yield* journal.observe({
      scope,
      id,
      event,
      history: { type, ts, channel: "inbox", provider: "inbox" },
      // An opening that names no call proves a mail: of the message's other channels this one tells nothing.
      call: { providers: ["inbox"] },
      // One for all, so that only the first counts: a user may open an item again and again.
      eventId: `tidings/inbox/${event}`
    }).pipe(Effect.catchTag("MessageNotFound", () => Effect.void))
  })

  return {
    mark: Effect.fnUntraced(function*(scope: Scope, userId: UserId, id: MessageId, deed: Deed) {
      const marking = meant(deed)
      const item = yield* inbox.mark(scope, userId, id, marking)
      if (marking.opened === true) yield* tell(scope, id, "Open")
      if (deed.clicked === true) yield* tell(scope, id, "Click")
      return item
    }),
    markAll: inbox.markAll
  }
})
