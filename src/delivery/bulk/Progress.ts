import type { BulkJobStatus, BulkUserStatus } from "#schemas/Bulk.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Job, JobUser, Running } from "#src/delivery/bulk/Jobs.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"

/** The status of a job (api.md §13). If its request was set aside, it is ERROR, since some users have no message. */
export const ofJob = ({ running }: Pick<Job, "running">): BulkJobStatus => {
  if (running === undefined) return "CREATED"
  if (running.state === "RUNNING") return "PROCESSING"
  return running.state === "FAILED" || running.messages === 0 ? "ERROR" : "COMPLETED"
}

/**
 * The id of a user's message. A user is in a job once, so its position tells it as well as its key does, and is cheaper
 * to store (`Ids.at`). A request that an earlier version began goes on by key.
 */
export const messageIdOf = (
  requestId: MessageId,
  { isNumbered }: Pick<Running, "isNumbered">,
  { key, position }: Pick<JobUser, "key" | "position">
): MessageId => isNumbered ? Ids.at(requestId, position) : Ids.member(requestId, key)

/**
 * The status of one of its users, and the message that the user has once the request has passed the user's position.
 */
export const ofUser = (
  { requestId, running }: Pick<Job, "requestId" | "running">,
  user: Pick<JobUser, "error" | "key" | "position">
): { readonly status: BulkUserStatus; readonly messageId: MessageId | undefined } => {
  const without = (status: BulkUserStatus) => ({ status, messageId: undefined })
  if (user.error !== undefined) return without("ERROR")
  if (running === undefined || requestId === undefined) return without("PENDING")
  if (user.position < running.index) return { status: "ENQUEUED", messageId: messageIdOf(requestId, running, user) }
  return without(running.state === "RUNNING" ? "PENDING" : "ERROR")
}
