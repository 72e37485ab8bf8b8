import { BadRequest, NotFound, Unavailable } from "#schemas/api/Errors.ts"
import type { SendRefused } from "#src/delivery/Drafts.ts"
import type { MessageNotFound, RowRefused } from "#src/delivery/Journal.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { PatchRefused, ProfileNotFound } from "#src/people/Profiles.ts"
import type { InvalidCursor, RequestNotFound } from "#src/reports/MessageLog.ts"
import { Effect } from "effect"

type DomainError =
  | InvalidCursor
  | MessageNotFound
  | PatchRefused
  | ProfileNotFound
  | RequestNotFound
  | RowRefused
  | SendRefused
  | StoreUnavailable

const longestId = 100

const notFound = (noun: string, id: string) => {
  const shown = id.length > longestId ? `${id.slice(0, longestId)}…` : id
  return new NotFound({ message: `${noun} ${shown} not found` })
}

const inWords = (error: DomainError): BadRequest | NotFound | Unavailable => {
  switch (error._tag) {
    case "StoreUnavailable":
      return new Unavailable({ message: "The service is not available right now" })
    case "MessageNotFound":
      return notFound("Message", error.id)
    case "RequestNotFound":
      return notFound("Request", error.id)
    case "ProfileNotFound":
      return notFound("User", error.userId)
    case "InvalidCursor":
      return new BadRequest({ message: "Invalid cursor format" })
    case "RowRefused":
      return new BadRequest({ message: "The request holds a value that cannot be stored" })
    case "PatchRefused":
    case "SendRefused":
      return new BadRequest({ message: error.detail })
  }
}

/** What the domain refused, in the words of the API. */
export const refusals = <A, E extends DomainError, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, inWords)
