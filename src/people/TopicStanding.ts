import type { PreferenceChannel, PreferenceStatus } from "#schemas/Preferences.ts"
import * as PreferenceResolution from "#src/people/PreferenceResolution.ts"
import * as PreferenceStatements from "#src/people/PreferenceStatements.ts"
import type { TopicOverrides } from "#src/people/UserPreferences.ts"

/** How a user stands to a topic. `channels`: the only ones chosen; `undefined`: nobody chose any. */
export interface TopicStanding {
  readonly status: PreferenceStatus
  readonly channels: ReadonlyArray<PreferenceChannel> | undefined
}

/**
 * Which of a user's word, the tenants' defaults and the topic's own hold: what `PreferenceResolution` makes of a message of the topic.
 * `now` in epoch ms.
 */
export const standing = (
  topic: PreferenceStatements.TopicTerms,
  overrides: TopicOverrides | undefined,
  tenants: PreferenceStatements.Said["tenants"],
  now: number
): TopicStanding => {
  const statements = PreferenceStatements.statements({
    now,
    topic,
    names: [],
    sent: undefined,
    overrides,
    recipient: undefined,
    list: undefined,
    tenants
  })
  const choosing = statements.find(({ channels, source }) =>
    channels !== undefined && !PreferenceResolution.isCatalogue(source)
  )
  return {
    status: PreferenceResolution.resolve(statements, []).status,
    channels: choosing?.channels
  }
}
