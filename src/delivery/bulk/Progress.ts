import type { BulkJobStatus, BulkUserStatus } from "#schemas/Bulk.ts"
import type { MessageId } from "#schemas/MessageId.ts"
import type { Job, JobUser } from "#src/delivery/bulk/Jobs.ts"
import * as Ids from "#src/delivery/intake/Ids.ts"

/** Where a job stands (api.md §13). One that was set aside has users without a message, whatever the others have. */
export const ofJob = ({ running }: Pick<Job, "running">): BulkJobStatus => {
  if (running === undefined) return "CREATED"
  if (running.state === "RUNNING") return "PROCESSING"
  return running.state === "FAILED" || running.messages === 0 ? "ERROR" : "COMPLETED"
}

/** What became of a user of it, who has a message once its request has passed it by. */
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
