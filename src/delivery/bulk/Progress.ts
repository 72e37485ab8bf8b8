import type { BulkJobStatus, BulkUserStatus } from "#schemas/Bulk.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Job, JobUser } from "#src/delivery/bulk/Jobs.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"

/** The status of a job (api.md §13). If its request was set aside, it is ERROR, since some users have no message. */
export const ofJob = ({ running }: Pick<Job, "running">): BulkJobStatus => {
  if (running === undefined) return "CREATED"
  if (running.state === "RUNNING") return "PROCESSING"
  return running.state === "FAILED" || running.messages === 0 ? "ERROR" : "COMPLETED"
}

/**
 * The status of one of its users, and the message that the user has once the request has passed the user's position.
 */
export const ofUser = (
  { requestId, running }: Pick<Job, "requestId" | "running">,
  { error, key, position }: Pick<JobUser, "error" | "key" | "position">
): { readonly status: BulkUserStatus; readonly messageId: MessageId | undefined } => {
  const without = (status: BulkUserStatus) => ({ status, messageId: undefined })
  if (error !== undefined) return without("ERROR")
  if (running === undefined || requestId === undefined) return without("PENDING")
  if (position < running.index) return { status: "ENQUEUED", messageId: Ids.member(requestId, key) }
  return without(running.state === "RUNNING" ? "PENDING" : "ERROR")
}
