import type { AudienceFilter } from "#schemas/Audience.ts"
import type { WebhookEventType } from "#schemas/Webhook.ts"

/** An event that is no message's, with what webhooks are told of it (api.md 25.1). Times in epoch ms. */
export interface Other {
  readonly type: Exclude<WebhookEventType, "message:updated">
  readonly data: Readonly<Record<string, unknown>>
}

/** A version of a template went live. */
export const published = (id: string, at: number): Other => ({
  type: "notification:published",
  data: { id, published_at: at }
})

/** A template was submitted for approval. */
export const submitted = (id: string, submissionId: string): Other => ({
  type: "notification:submitted",
  data: { id, submission_id: submissionId }
})

/** Its submission was withdrawn. */
export const withdrawn = (id: string, submissionId: string, at: number): Other => ({
  type: "notification:submission_canceled",
  data: { id, submission_id: submissionId, canceled_at: at }
})

/** An audience was made or changed. */
export const audience = (id: string, version: number, filter: AudienceFilter | undefined): Other => ({
  type: "audiences:updated",
  data: { audience_id: id, audience_version: version, filter: filter ?? null }
})

/** A member of an audience, with the version that he last matched and why. */
interface Member {
  readonly audienceId: string
  readonly userId: string
  readonly version: number
  readonly reason: string
}

const member = (type: Other["type"]) => ({ audienceId, reason, userId, version }: Member): Other => ({
  type,
  data: { audience_id: audienceId, audience_version: version, user_id: userId, reason }
})

/** A user joined an audience. */
export const matched = member("audiences:user:matched")

/** A user left one; `reason` is why he was in it. */
export const unmatched = member("audiences:user:unmatched")

/** All users of an environment were held against an audience: `members` of `users` are in it. */
export const calculated = (id: string, members: number, users: number): Other => ({
  type: "audiences:calculated",
  data: { audience_id: id, user_count: members, total_users: users, total_users_filtered: members }
})
