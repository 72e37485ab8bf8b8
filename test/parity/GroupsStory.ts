import type { ListId } from "#schemas/List.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { Lists } from "#src/people/Lists.ts"
import { Members, type Position, type Source } from "#src/people/Members.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { pages, type Command, type Story } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect } from "effect"

import {
  idsOf,
  lists,
  map,
  maybe,
  page,
  patterns,
  preferences,
  say,
  setting,
  someOf,
  user
} from "#test/parity/PeopleValues.ts"

/** Lists and tenants, who is in them, and walks through them. */
export const groups: Story = ({ scope }) => {
  const id = idsOf(scope)
  const subscription = (c: Chooser) => ({ userId: user(c), preferences: preferences(c) })
  const list = (c: Chooser): Command => {
    const [one, who, limit] = [c.from(lists as never) as ListId, user(c), page(c)]
    return c.from([
      () => {
        const draft = { name: c.from(["n", "", "é"]), preferences: preferences(c) }
        return say({ putList: [one, draft] }, Lists.use((_) => _.put(scope, one, draft)))
      },
      () => say({ getList: one }, Lists.use((_) => _.get(scope, one))),
      () => {
        const text = maybe(c, () => c.from(patterns))
        return say(
          { lists: text, limit },
          Effect.gen(function*() {
            const pattern = text === undefined ? undefined : yield* ListPattern.parse(text)
            const lists = yield* Lists
            return yield* pages((cursor) => lists.list(scope, { limit, cursor, pattern }))
          })
        )
      },
      () => say({ removeList: one }, Lists.use((_) => _.remove(scope, one))),
      () => say({ restoreList: one }, Lists.use((_) => _.restore(scope, one))),
      () =>
        say(
          { subscriptions: one, limit },
          pages((cursor) => Lists.use((_) => _.subscriptions(scope, one, { limit, cursor })))
        ),
      () => {
        const all = someOf(c, () => subscription(c))
        return say({ subscribe: [one, all] }, Lists.use((_) => _.subscribe(scope, one, all)))
      },
      () => {
        const all = someOf(c, () => subscription(c))
        return say({ replaceSubscriptions: [one, all] }, Lists.use((_) => _.replaceSubscriptions(scope, one, all)))
      },
      () => {
        const it = subscription(c)
        return say({ putSubscription: [one, it] }, Lists.use((_) => _.putSubscription(scope, one, it)))
      },
      () => say({ removeSubscription: [one, who] }, Lists.use((_) => _.removeSubscription(scope, one, who))),
      () => say({ listsOf: who, limit }, pages((cursor) => Lists.use((_) => _.listsOf(scope, who, { limit, cursor })))),
      () => {
        const all = someOf(c, () => ({ listId: c.from(lists as never) as ListId, preferences: preferences(c) }))
        return say({ join: [who, all] }, Lists.use((_) => _.join(scope, who, all)))
      },
      () => say({ leave: who }, Lists.use((_) => _.leave(scope, who))),
      () => say({ word: [one, who] }, ListPreferences.use((_) => _.find(scope, one, who)))
    ])()
  }
  const tenant = (c: Chooser): Command => {
    const [one, who, limit, topic] = [id(c), user(c), page(c), c.from(["t", "T", "é"])]
    return c.from([
      () => {
        const draft = {
          name: id(c),
          parent_tenant_id: maybe(c, () => id(c)),
          brand_id: c.from([undefined, null, "b"]),
          brand: maybe(c, () => c.from([null, { name: "é" }])),
          properties: maybe(c, () => map(c)),
          user_profile: maybe(c, () => map(c)),
          default_preferences: maybe(
            c,
            () => ({ items: someOf(c, () => ({ id: c.from(["t", "T", "é"]), ...setting(c) })) })
          )
        }
        return say({ replaceTenant: [one, draft] }, Tenants.use((_) => _.replace(scope, one, draft)))
      },
      () => say({ getTenant: one }, Tenants.use((_) => _.get(scope, one))),
      () => {
        const parentId = maybe(c, () => id(c))
        return say(
          { tenants: limit, parentId },
          pages((cursor) => Tenants.use((_) => _.list(scope, { limit, cursor, parentId })))
        )
      },
      () => say({ removeTenant: one }, Tenants.use((_) => _.remove(scope, one))),
      () => {
        const what = setting(c)
        return say({ setPreference: [one, topic, what] }, Tenants.use((_) => _.setPreference(scope, one, topic, what)))
      },
      () => say({ removePreference: [one, topic] }, Tenants.use((_) => _.removePreference(scope, one, topic))),
      () => say({ chain: one }, Tenants.use((_) => _.chain(scope, one))),
      () => say({ any: 0 }, Tenants.use((_) => _.some(scope))),
      () => {
        const all = someOf(c, () => ({ tenantId: id(c), profile: maybe(c, () => map(c)) }))
        return say({ putMemberships: [who, all] }, Memberships.use((_) => _.put(scope, who, all)))
      },
      () => say({ removeMembership: [who, one] }, Memberships.use((_) => _.remove(scope, who, one))),
      () => say({ removeAll: who }, Memberships.use((_) => _.removeAll(scope, who))),
      () =>
        say({ ofUser: who, limit }, pages((cursor) => Memberships.use((_) => _.ofUser(scope, who, { limit, cursor })))),
      () =>
        say(
          { ofTenant: one, limit },
          pages((cursor) => Memberships.use((_) => _.ofTenant(scope, one, { limit, cursor })))
        ),
      () => say({ findMembership: [who, one] }, Memberships.use((_) => _.find(scope, who, one))),
      () => say({ sole: who }, Memberships.use((_) => _.sole(scope, who)))
    ])()
  }
  const settled = Effect.repeat(AudienceSteps.use((_) => _.advance), { while: (more) => more })
  const walk = (c: Chooser): Command => {
    const [kind, one, text, limit] = [c.below(4), c.from(lists as never) as ListId, c.from(patterns), c.from([1, 2, 5])]
    const [group, includeChildren, memberOf] = [id(c), c.below(2) === 0, c.below(3) === 0 ? someOf(c, () => id(c)) : []]
    return say(
      { walk: [kind, one, text, group, includeChildren, memberOf, limit] },
      Effect.gen(function*() {
        yield* settled
        const members = yield* Members
        const pattern = yield* ListPattern.parse(text)
        const sources = [
          { _tag: "List", id: one },
          { _tag: "Pattern", pattern },
          { _tag: "Audience", id: group },
          { _tag: "Tenant", id: group, includeChildren }
        ] satisfies ReadonlyArray<Source>
        const source = sources[kind] ?? sources[0]
        if (source === undefined) return undefined
        const seen: Array<unknown> = [yield* members.exists(scope, source)]
        let after: Position | undefined
        for (;;) {
          const found = yield* members.page(scope, source, { after, limit, memberOf })
          seen.push(found)
          after = found.at(-1)
          if (found.length < limit) return seen
        }
      })
    )
  }
  return (c) => c.from([list, list, tenant, tenant, walk])(c)
}
