import type { AudienceFilter } from "#schemas/Audience.ts"
import { ListId } from "#schemas/List.ts"
import type { PatchOperation } from "#schemas/PatchOperation.ts"
import type { RecipientPreferences, TopicSetting } from "#schemas/Preferences.ts"
import { type Profile, UserId } from "#schemas/Profile.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { LegacyPreferences } from "#src/people/LegacyPreferences.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import { Lists } from "#src/people/Lists.ts"
import { Members, type Position, type Source } from "#src/people/Members.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import { ids, pages, type Command, type Story } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect, type Schema } from "effect"

const lists = ["a", "A", "a.b", "a.B", "a.b.c", "é", "e\u0301", "a-b", "a_b", "a.\uffee", "a.\u{1f984}", "a%"].map((
  id
) => ListId.make(id))
const patterns = ["a", "a.*", "*.b", "a.**", "a.b.*", "é", "a_b", "a%", "a.*.c"] as const
const values = ["x", "X", "", "a\u0000b", "\ud800", null, 1, 1e21, -0, [], ["x", { y: null }], {}, {
  "": "e",
  "é": 2,
  "__proto__": 1
}] as const
const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()
const someOf = <A>(choose: Chooser, one: () => A): ReadonlyArray<A> => Array.from({ length: choose.below(4) }, one)
const user = ({ from }: Chooser) => UserId.make(from(["a", "A", "b", "a b", "é", "e\u0301", "\uffee", "\u{1f984}"]))
const json = ({ from }: Chooser) => from(values as unknown as readonly [Schema.Json, ...ReadonlyArray<Schema.Json>])
const map = (choose: Chooser): Profile =>
  Object.fromEntries(
    someOf(choose, () => [choose.from(["a", "b", "é", "", "title", "a\u0000", "\ud800"]), json(choose)])
  )
const preferences = (choose: Chooser): RecipientPreferences | undefined =>
  maybe(choose, () => ({
    notifications: choose.from([undefined, null, {}, { n: { status: "OPTED_OUT" as const } }, { "a\u0000": {} }, {
      "\ud800": {}
    }]),
    categories: choose.from([undefined, null, { c: { status: null, rules: [{ type: "snooze", until: "x" }] } }])
  }))
const setting = ({ from }: Chooser): TopicSetting => ({
  status: from(["OPTED_IN", "OPTED_OUT", "REQUIRED"]),
  has_custom_routing: from([undefined, null, true, false]),
  custom_routing: from([undefined, null, [], ["email"]])
})
const patch = (choose: Chooser): ReadonlyArray<PatchOperation> => {
  const path = () =>
    choose.from(["/a", "a", "/b", "/é", "/", "", "/a/0", "/a/-", "/notifications/n", "/notifications", "/a~0b"])
  return someOf(choose, () =>
    choose.from<() => PatchOperation>([
      () => ({ op: choose.from(["add", "replace", "test"]), path: path(), value: json(choose) }),
      () => ({ op: "remove", path: path() }),
      () => ({ op: choose.from(["move", "copy"]), from: path(), path: path() })
    ])())
}
const filter = (choose: Chooser): AudienceFilter | undefined =>
  maybe(choose, () => ({
    operator: choose.from(["AND", "OR"]),
    filters: someOf(choose, () => ({
      operator: choose.from(["EQ", "NEQ", "EXISTS", "OMIT", "MEMBER_OF", "STARTS_WITH", "GT", "INCLUDES"]),
      path: choose.from(["a", "b", "title", "account_id", "é"]),
      value: choose.from(["x", "X", "a", "A", "é", "", "1"])
    }))
  }))
const page = (choose: Chooser) => choose.from([1, 2, 3, 100])

/** Users, and all that they are in. */
export const people: Story = ({ scope }) => {
  const own = Array.from({ length: 7 }, (_, n) => ids[(scope * 3 + n * 11) % ids.length] ?? "a")
  const id = ({ below }: Chooser) => own[below(own.length)] ?? "a"
  const say = <A>(said: A, run: Command["run"]): Command => ({ said, run })
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
      () => say({ any: 0 }, Tenants.use((_) => _.any(scope))),
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
  const preference = (c: Chooser): Command => {
    const [who, tenantId, topic] = [user(c), maybe(c, () => c.from(["a", "A", "é"])), c.from(["t", "T", "é", "ea"])]
    const all = () => someOf(c, () => ({ topicId: c.from(["t", "T", "é", "e\u0301", "a"]), setting: setting(c) }))
    return c.from([
      () => say({ overrides: [who, tenantId] }, UserPreferences.use((_) => _.list(scope, who, tenantId))),
      () => say({ override: [who, tenantId, topic] }, UserPreferences.use((_) => _.find(scope, who, tenantId, topic))),
      () => {
        const given = all()
        return say(
          { putOverrides: [who, tenantId, given] },
          UserPreferences.use((_) => _.put(scope, who, tenantId, given))
        )
      },
      () => {
        const given = all()
        return say(
          { replaceOverrides: [who, tenantId, given] },
          UserPreferences.use((_) => _.replace(scope, who, tenantId, given))
        )
      },
      () =>
        say(
          { removeOverride: [who, tenantId, topic] },
          UserPreferences.use((_) => _.remove(scope, who, tenantId, topic))
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
  return (c) => c.from([profiles, list, list, tenant, tenant, audience, walk, preference])(c)
}
