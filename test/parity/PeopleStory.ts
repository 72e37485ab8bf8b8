import { groups } from "#test/parity/GroupsStory.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { OverriddenTopics } from "#src/people/OverriddenTopics.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { pages, type Command, type Story } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect } from "effect"

import {
  filter,
  idsOf,
  map,
  maybe,
  page,
  patch,
  preferences,
  say,
  setting,
  someOf,
  user
} from "#test/parity/PeopleValues.ts"

/** Users, what they prefer, the audiences that they match, and the groups that they are in. */
export const people: Story = (place) => {
  const { scope } = place
  const id = idsOf(scope)
  const profiles = (c: Chooser): Command => {
    const [who, what, ops] = [user(c), map(c), patch(c)]
    return c.from([
      () => say({ replaceProfile: [who, what] }, Profiles.use((_) => _.replace(scope, who, what))),
      () => say({ mergeProfile: [who, what] }, Profiles.use((_) => _.merge(scope, who, what))),
      () => say({ patchProfile: [who, ops] }, Profiles.use((_) => _.patch(scope, who, ops))),
      () => say({ removeProfile: [who] }, Profiles.use((_) => _.remove(scope, who))),
      () => say({ person: [who] }, Profiles.use((_) => _.person(scope, who))),
      () => say({ findProfile: [who] }, Profiles.use((_) => _.find(scope, who)))
    ])()
  }
  const settled = Effect.repeat(AudienceSteps.use((_) => _.advance), { while: (more) => more })
  const audience = (c: Chooser): Command => {
    const [one, limit] = [id(c), page(c)]
    return c.from([
      () => {
        const draft = {
          name: c.from(["n", "é"]),
          description: c.from(["", "é"]),
          filter: filter(c),
          operator: c.from([undefined, "AND" as const])
        }
        return say({ putAudience: [one, draft] }, Audiences.use((_) => _.put(scope, one, draft)))
      },
      () => say({ getAudience: one }, Audiences.use((_) => _.get(scope, one))),
      () => say({ audiences: limit }, pages((cursor) => Audiences.use((_) => _.list(scope, { limit, cursor })))),
      // A version goes on where one is written again before its members are gone, which is a matter of time.
      () => say({ removeAudience: one }, Effect.andThen(Audiences.use((_) => _.remove(scope, one)), settled)),
      () =>
        say(
          { members: one, limit },
          Effect.andThen(settled, pages((cursor) => Audiences.use((_) => _.members(scope, one, { limit, cursor }))))
        )
    ])()
  }
  const preference = (c: Chooser): Command => {
    const [who, tenantId, topic] = [user(c), maybe(c, () => c.from(["a", "A", "é"])), c.from(["t", "T", "é", "ea"])]
    const all = () => someOf(c, () => ({ topicId: c.from(["t", "T", "é", "e\u0301", "a"]), setting: setting(c) }))
    return c.from([
      () => say({ overrides: [who, tenantId] }, OverriddenTopics.use((_) => _.of({ scope, userId: who, tenantId }))),
      () =>
        say(
          { override: [who, tenantId, topic] },
          UserPreferences.use((_) => _.find({ scope, userId: who, tenantId }, topic))
        ),
      () => {
        const given = all()
        return say(
          { putOverrides: [who, tenantId, given] },
          UserPreferences.use((_) => _.put({ scope, userId: who, tenantId }, given))
        )
      },
      () => {
        const given = all()
        return say(
          { mergeOverrides: [who, tenantId, given] },
          UserPreferences.use((_) => _.merge({ scope, userId: who, tenantId }, given))
        )
      },
      () => {
        const given = all()
        const of = c.from([["t", "T"], ["t", "T", "é", "e\u0301", "a"]])
        return say(
          { replaceOverrides: [who, tenantId, given, of] },
          UserPreferences.use((_) => _.replace({ scope, userId: who, tenantId }, given, of))
        )
      },
      () =>
        say(
          { removeOverride: [who, tenantId, topic] },
          UserPreferences.use((_) => _.remove({ scope, userId: who, tenantId }, topic))
        ),
      () => {
        const given = preferences(c) ?? {}
        return say({ replaceLegacy: [who, given] }, LegacyPreferences.use((_) => _.replace(scope, who, given)))
      },
      () => {
        const ops = patch(c)
        return say({ patchLegacy: [who, ops] }, LegacyPreferences.use((_) => _.patch(scope, who, ops)))
      }
    ])()
  }
  return (c) => c.from([profiles, audience, preference, groups(place)])(c)
}
