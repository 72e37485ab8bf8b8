import type { TemplateSummary } from "#schemas/api/Notifications.ts"
import { author } from "#src/content/Author.ts"
import type { TemplateSummary as Summary } from "#src/content/Templates.ts"

/** A template as lists show it. */
export const summary = ({ topicId, updated, ...rest }: Summary): TemplateSummary => ({
  ...rest,
  creator: author,
  updated,
  updater: updated === undefined ? undefined : author,
  subscription_topic_id: topicId,
  topic_id: topicId
})
