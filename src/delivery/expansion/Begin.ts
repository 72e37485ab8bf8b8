import type { Advance, Advanced, Expansions, Page, PageMember } from "#src/delivery/expansion/Expansions.ts"
import type { FirstSteps } from "#src/delivery/journal/FirstSteps.ts"
import * as Weight from "#src/delivery/journal/Weight.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { RowRefused } from "#src/delivery/Journal.ts"
import type { Reader } from "#src/delivery/shards/Reader.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Array, Effect, type Scope } from "effect"

/** Messages that are begun before other fibers have their turn. */
const begunAtOnce = 128

const messageOf = (
  { size: said, dueAt, enqueuedAt, instructions, keyState, lane, requestId, scope, status }: Page["common"],
  { id, recipient, recipientKey, shard, size, tenantId }: PageMember
): OpenMessage => ({
  id,
  requestId,
  scope,
  tenantId,
  shard,
  lane,
  recipientKey,
  keyState,
  status,
  enqueuedAt,
  dueAt,
  tries: 0,
  recovered: false,
  recipient,
  instructions,
  size: said + size,
  attempts: []
})

/** A page that is to be written. */
type Write = Effect.Effect<Advanced, RowRefused | StoreUnavailable>

/**
 * Begins those of a page's messages that can begin at once. The effect that it answers writes the page: each message
 * with the intent of its first call, if it has come to one (`FirstSteps`), as far as those go into one commit. The
 * others are rows, of which the reader is told. If the page is refused with its intents, it is written once more
 * without them.
 */
export const make = ({ expansions, firsts, reader }: {
  readonly expansions: Expansions["Service"]
  readonly firsts: FirstSteps["Service"]
  readonly reader: Pick<Reader, "begin" | "behind">
}) =>
  Effect.fnUntraced(function*(advance: Advance & { readonly page: Page }): Effect.fn.Return<Write, never, Scope.Scope> {
    const { common, members } = advance.page
    const gathering = yield* firsts.gather
    let begun = 0
    for (const some of Array.chunksOf(members, begunAtOnce)) {
      for (const member of some) {
        if (gathering.begin(member.id, () => reader.begin(messageOf(common, member)))) begun++
      }
      yield* Effect.yieldNow
    }
    return Effect.gen(function*() {
      const intents = Weight.light(yield* gathering.intents)
      const advanced = yield* expansions.advance({ ...advance, intents }).pipe(
        Effect.catchTag(
          "RowRefused",
          (refused) => intents.length === 0 ? Effect.fail(refused) : expansions.advance(advance)
        )
      )
      const isWritten = advanced._tag === "Written"
      const areInHand = gathering.end(isWritten ? advanced.intents : undefined)
      if (!isWritten || !areInHand || begun < members.length) reader.behind()
      return advanced
      // A page whose write failed may have been stored all the same, and nobody has heard of its rows.
    }).pipe(Effect.onError(() => Effect.sync(reader.behind)))
  })
