import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as MemoryStores from "#test/layers/memory/Stores.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

const Name = Schema.Literals(["a", "b"])
const Names = Schema.Array(Name).check(Schema.isMaxLength(4))

const Step = Schema.TaggedUnion({
  PutList: { list: Name, preferred: Schema.Boolean },
  RemoveList: { list: Name },
  RestoreList: { list: Name },
  Subscribe: { list: Name, users: Names, preferred: Schema.Boolean },
  ReplaceSubscriptions: { list: Name, users: Names, preferred: Schema.Boolean },
  PutSubscription: { list: Name, user: Name, preferred: Schema.Boolean },
  RemoveSubscription: { list: Name, user: Name },
  Join: { user: Name, lists: Names, preferred: Schema.Boolean },
  Leave: { user: Name },
  PutTenant: { tenant: Name, parent: Schema.NullOr(Name) },
  RemoveTenant: { tenant: Name },
  PutMemberships: { user: Name, tenants: Names, profile: Schema.Boolean },
  RemoveMembership: { user: Name, tenant: Name },
  RemoveMemberships: { user: Name },
  PutTemplate: { tenant: Name, template: Name, text: Name, publish: Schema.Boolean },
  PublishTemplate: { tenant: Name, template: Name, version: Schema.Literals([1, 2, "latest", "published"]) },
  RemoveTemplate: { tenant: Name, template: Name },
  PutProfile: { user: Name, title: Name },
  RemoveProfile: { user: Name },
  PutAudience: { audience: Name, title: Name, tenant: Schema.Boolean },
  RemoveAudience: { audience: Name },
  Settle: {}
})
type Step = typeof Step.Type

const all = { limit: 100, cursor: undefined }
const names = ["a", "b"] as const

/** The stores of people and of what they belong to. */
const people = Effect.gen(function*() {
  const audiences = yield* Audiences
  const lists = yield* Lists
  const memberships = yield* Memberships
  const profiles = yield* Profiles
  const steps = yield* AudienceSteps
  const templates = yield* TenantTemplates
  const tenants = yield* Tenants
  const settle = Effect.repeat(steps.advance, { while: (more) => more })

  const done = (scope: Scope, step: Step): Effect.Effect<unknown, unknown> => {
    const preferences = (preferred: boolean) =>
      preferred ? { notifications: { n: { status: "OPTED_OUT" as const } } } : undefined
    const subscriptions = (users: ReadonlyArray<string>, preferred: boolean) =>
      users.map((user) => ({ userId: UserId.make(user), preferences: preferences(preferred) }))
    return Step.match(step, {
      PutList: ({ list, preferred }) =>
        lists.put(scope, ListId.make(list), { name: `${preferred}`, preferences: preferences(preferred) }),
      RemoveList: ({ list }) => lists.remove(scope, list),
      RestoreList: ({ list }) => lists.restore(scope, list),
      Subscribe: ({ list, preferred, users }) =>
        lists.subscribe(scope, ListId.make(list), subscriptions(users, preferred)),
      ReplaceSubscriptions: ({ list, preferred, users }) =>
        lists.replaceSubscriptions(scope, ListId.make(list), subscriptions(users, preferred)),
      PutSubscription: ({ list, preferred, user }) =>
        lists.putSubscription(scope, ListId.make(list), {
          userId: UserId.make(user),
          preferences: preferences(preferred)
        }),
      RemoveSubscription: ({ list, user }) => lists.removeSubscription(scope, list, UserId.make(user)),
      Join: ({ lists: ids, preferred, user }) =>
        lists.join(
          scope,
          UserId.make(user),
          ids.map((id) => ({ listId: ListId.make(id), preferences: preferences(preferred) }))
        ),
      Leave: ({ user }) => lists.leave(scope, UserId.make(user)),
      PutTenant: ({ parent, tenant }) =>
        Effect.all([
          tenants.replace(scope, tenant, { name: tenant, parent_tenant_id: parent }),
          memberships.ofTenant(scope, tenant, all)
        ]),
      RemoveTenant: ({ tenant }) => tenants.remove(scope, tenant),
      PutMemberships: ({ profile, tenants: ids, user }) =>
        memberships.put(scope, user, ids.map((tenantId) => ({ tenantId, profile: profile ? { user } : undefined }))),
      RemoveMembership: ({ tenant, user }) => memberships.remove(scope, user, tenant),
      RemoveMemberships: ({ user }) => memberships.removeAll(scope, user),
      PutTemplate: ({ publish, template, tenant, text }) =>
        templates.put(scope, tenant, template, { content: { elements: [{ type: "text", content: text }] } }, publish),
      PublishTemplate: ({ template, tenant, version }) => templates.publish(scope, tenant, template, version),
      RemoveTemplate: ({ template, tenant }) => templates.remove(scope, tenant, template),
      PutProfile: ({ title, user }) => profiles.replace(scope, UserId.make(user), { title }),
      RemoveProfile: ({ user }) => profiles.remove(scope, UserId.make(user)),
      PutAudience: ({ audience, tenant, title }) =>
        audiences.put(scope, audience, {
          name: audience,
          description: "",
          filter: {
            filters: [
              tenant
                ? { operator: "MEMBER_OF", path: "account_id", value: title }
                : { operator: "EQ", path: "title", value: title }
            ]
          },
          operator: undefined
        }),
      // Until its members are gone, one that is made again goes on with its versions on Postgres.
      RemoveAudience: ({ audience }) => Effect.tap(audiences.remove(scope, audience), settle),
      Settle: () => settle
    })
  }

  /** All that can be read of them. */
  const seen = (scope: Scope) =>
    Effect.all({
      lists: lists.list(scope, { ...all, pattern: undefined }),
      tenants: tenants.list(scope, { ...all, parentId: undefined }),
      some: tenants.some(scope),
      each: Effect.forEach(names, (name) =>
        Effect.all({
          subscriptions: Effect.result(lists.subscriptions(scope, name, all)),
          listsOf: lists.listsOf(scope, UserId.make(name), all),
          children: tenants.list(scope, { ...all, parentId: name }),
          chain: tenants.chain(scope, name),
          ofUser: memberships.ofUser(scope, name, all),
          ofTenant: memberships.ofTenant(scope, name, all),
          sole: memberships.sole(scope, name),
          templates: templates.list(scope, name, all),
          live: Effect.forEach(names, (id) => templates.resolve(scope, name, id, "published")),
          profile: profiles.find(scope, UserId.make(name)),
          audience: Effect.result(audiences.get(scope, name))
        }))
    })

  const members = (scope: Scope) =>
    Effect.andThen(
      settle,
      Effect.forEach(names, (name) => Effect.result(audiences.members(scope, name, all)))
    )

  return { done, seen, members }
})

const postgres = Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty))

class Twins extends Context.Service<Twins, {
  readonly memory: Effect.Success<typeof people>
  readonly postgres: Effect.Success<typeof people>
}>()("test/StoreTwins") {}

const twins = Layer.effect(
  Twins,
  Effect.gen(function*() {
    const [inMemory, onPostgres] = [yield* Layer.build(MemoryStores.layer), yield* Layer.build(postgres)]
    return { memory: yield* Effect.provide(people, inMemory), postgres: yield* Effect.provide(people, onPostgres) }
  })
)

layer(twins, { timeout: "120 seconds" })("The stores in memory and on Postgres", (it) => {
  it.effect.prop(
    "answer alike, whatever is done to people, lists, tenants and audiences",
    { steps: Schema.Array(Step).check(Schema.isMinLength(80), Schema.isMaxLength(100)) },
    ({ steps }) =>
      Effect.gen(function*() {
        const { memory, postgres } = yield* Twins
        const { scope } = yield* Fixture.world
        yield* TestClock.setTime(1_000_000)
        const made = names.map((tenant) => Step.cases.PutTenant.make({ tenant, parent: null }))
        for (const step of [...made, ...steps]) {
          yield* TestClock.adjust("1 second")
          const answers = yield* Effect.forEach([memory, postgres], ({ done }) => Effect.result(done(scope, step)))
          assert.deepStrictEqual(answers[1], answers[0], JSON.stringify(step))
        }
        assert.deepStrictEqual(yield* postgres.seen(scope), yield* memory.seen(scope))
        const [followed, expected] = [yield* postgres.members(scope), yield* memory.members(scope)]
        assert.deepStrictEqual(followed, expected)
      }),
    { arbitrary: { runs: 20 } }
  )
})
