import type { PreferenceChannel, PreferenceStatus } from "#schemas/Preferences.ts"
import * as PreferenceResolution from "#src/people/PreferenceResolution.ts"
import * as PreferenceStatements from "#src/people/PreferenceStatements.ts"

/** A user's effective status for a topic. `channels`: the only ones chosen; `undefined`: nobody chose any. */
export interface TopicStanding {
  readonly status: PreferenceStatus
  readonly channels: ReadonlyArray<PreferenceChannel> | undefined
}

/** What else decides it: `overrides` and `recipient` are the user's own preferences. `now` in epoch ms. */
export type Known = Pick<PreferenceStatements.Said, "now" | "overrides" | "recipient" | "tenants">

/**
 * Works out which holds: the user's preferences, the tenants' defaults or the topic's own. Same as
 * `PreferenceResolution` for a message of this topic that has no template and was sent to no list.
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
