import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Size from "#src/delivery/journal/Size.ts"
import { Profiles } from "#src/people/Profiles.ts"
import type { MessageRecord, Original } from "#src/reports/MessageLog.ts"
import { Effect, Option } from "effect"

/** Characters of JSON that a profile may have to be shown with a message. */
export const longest = 100_000

/**
 * Finds the profile that a message's recipient had when it was sent: the stored one, if it did not change since the
 * message was accepted. No copy is kept with a message, so that a user who is deleted is forgotten.
 */
export const make = Effect.map(
  Profiles,
  ({ asOf }) => (scope: Scope, { recipient: { user_id: userId } }: Original, { enqueued }: MessageRecord) =>
    typeof userId === "string"
      ? Effect.map(
        asOf(scope, UserId.make(userId), enqueued),
        (found) => Option.getOrUndefined(Option.filter(found, (profile) => Size.of(profile) <= longest))
      )
      : Effect.undefined
)
