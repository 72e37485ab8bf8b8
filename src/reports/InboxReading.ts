import type { MessageId } from "#schemas/MessageId.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Inbox, type Marking } from "#src/reports/Inbox.ts"
import { note, type ReaderEvent } from "#src/reports/ReaderEvents.ts"
import { Effect } from "effect"

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

  const tell = (scope: Scope, id: MessageId, event: ReaderEvent["event"]) =>
    note(journal, {
      scope,
      id,
      event,
      where: { channel: "inbox", provider: "inbox" },
      // An opening that names no call proves a mail: of the message's other channels this one tells nothing.
      call: { providers: ["inbox"] },
      eventId: `tidings/inbox/${event}`
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
