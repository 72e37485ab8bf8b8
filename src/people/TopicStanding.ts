import type { PreferenceChannel, PreferenceStatus } from "#schemas/Preferences.ts"
import * as PreferenceResolution from "#src/people/PreferenceResolution.ts"
import * as PreferenceStatements from "#src/people/PreferenceStatements.ts"

/** How a user stands to a topic. `channels`: the only ones chosen; `undefined`: nobody chose any. */
export interface TopicStanding {
  readonly status: PreferenceStatus
  readonly channels: ReadonlyArray<PreferenceChannel> | undefined
}

/** What is known of a user beside the topic: `overrides` and `recipient` are the user's own words. `now` in epoch ms. */
export type Known = Pick<PreferenceStatements.Said, "now" | "overrides" | "recipient" | "tenants">

/**
 * Which of a user's words, the tenants' defaults and the topic's own hold: what `PreferenceResolution` makes of a message of the topic that
 * has no template and was sent to no list.
 */
export const standing = (topic: PreferenceStatements.TopicTerms, known: Known): TopicStanding => {
  const statements = PreferenceStatements.statements({
    ...known,
    topic,
    names: [topic.id],
    sent: undefined,
    list: undefined
  })
  const choosing = statements.find(({ channels, source }) =>
    channels !== undefined && !PreferenceResolution.isCatalogue(source)
  )
  return {
    status: PreferenceResolution.statusOf(statements),
    channels: choosing?.channels
  }
}
