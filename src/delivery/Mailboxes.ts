import { Lane, type OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import * as Fibers from "#src/fibers/Fibers.ts"
import { Effect, type Scope } from "effect"

interface Mailbox {
  readonly transactional: Array<OpenMessage>
  readonly bulk: Array<OpenMessage>
  /** The owner under which its messages were read. */
  readonly owner: unknown
  /** Whether a message of another owner was not let in. */
  isWanted: boolean
}

/** The mailboxes of a node's recipients: who has one, and who has no room in it. */
export interface Mailboxes {
  /**
   * Puts a message behind those of its recipient and lane. False if there is no room, or if the messages in the mailbox
   * were read under an earlier owner: those are about to be given up, and would come after this one, which is newer
   * (P3). Never waits.
   */
  readonly offer: (message: OpenMessage) => boolean
  /**
   * Whether the mailbox's lane is more than half full, or it has not let in a message of another owner: not worth
   * reading more for it, until `onRoom`.
   */
  readonly isFull: (recipientKey: string, lane: Lane) => boolean
  /** Whether the recipient has no message in hand, so that one that is offered begins at once. */
  readonly isIdle: (recipientKey: string) => boolean
  /** Recipients with a message in hand now. */
  readonly active: () => number
}

/**
 * One fiber per recipient with messages, which runs them one at a time in the order they came; it ends, and is gone,
 * with the last. An idle recipient costs nothing. `run` never fails. `onRoom` is called when a lane of a mailbox has
 * come down to half its capacity (an even number), and when a mailbox is gone that did not let in a message of another
 * owner.
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly capacity: number
  readonly run: (message: OpenMessage) => Effect.Effect<void>
  /** The owner under which the message was read. */
  readonly ownerOf: (message: OpenMessage) => unknown
  readonly onRoom: (lane: Lane) => void
}): Effect.fn.Return<Mailboxes, never, Scope.Scope> {
  const mailboxes = new Map<string, Mailbox>()
  const fork = (yield* Fibers.runner)(yield* Effect.context<never>())

  const take = (recipientKey: string, mailbox: Mailbox): OpenMessage | undefined => {
    // In their order: within one recipient a transactional message passes every bulk one.
    for (const lane of Lane.literals) {
      const message = mailbox[lane].shift()
      if (message === undefined) continue
      if (mailbox[lane].length === options.capacity / 2) options.onRoom(lane)
      return message
    }
    mailboxes.delete(recipientKey)
    if (mailbox.isWanted) { for (const lane of Lane.literals) options.onRoom(lane) }
    return undefined
  }

  const actor = (recipientKey: string, mailbox: Mailbox): Effect.Effect<void> =>
    Effect.suspend(() => {
      const message = take(recipientKey, mailbox)
      return message === undefined
        ? Effect.void
        : Effect.andThen(options.run(message), actor(recipientKey, mailbox))
    })

  return {
    offer: (message) => {
      const known = mailboxes.get(message.recipientKey)
      const owner = options.ownerOf(message)
      if (known !== undefined) {
        if (known.owner !== owner) {
          known.isWanted = true
          return false
        }
        if (known[message.lane].length >= options.capacity) return false
        known[message.lane].push(message)
        return true
      }
      // With a list of its own length: one that is pushed to has room for seventeen, and most recipients have one message.
      const mailbox: Mailbox = { transactional: [], bulk: [], owner, isWanted: false, [message.lane]: [message] }
      mailboxes.set(message.recipientKey, mailbox)
      fork(actor(message.recipientKey, mailbox))
      return true
    },
    isFull: (recipientKey, lane) => {
      const known = mailboxes.get(recipientKey)
      return known !== undefined && (known.isWanted || known[lane].length > options.capacity / 2)
    },
    isIdle: (recipientKey) => !mailboxes.has(recipientKey),
    active: () => mailboxes.size
  }
})
