import { MessageDetails } from "#schemas/api/MessageDetails.ts"
import type { MessageId } from "#schemas/MessageId.ts"

/** What a server tells of ada's message that was not delivered. */
export const undelivered = (id: MessageId, told: Pick<MessageDetails, "enqueued" | "error" | "reason">) =>
  MessageDetails.make({
    ...told,
    id,
    status: "UNDELIVERABLE",
    event: "",
    notification: "",
    recipient: "ada",
    sent: undefined,
    delivered: undefined,
    opened: undefined,
    clicked: undefined,
    canceledAt: undefined,
    requestId: id,
    tenant_id: undefined,
    metadata: { tags: [], trace_id: undefined },
    willRetry: false,
    archived: false,
    providers: undefined
  })
