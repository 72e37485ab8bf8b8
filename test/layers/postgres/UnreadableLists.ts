import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Brands } from "#src/content/Brands.ts"
import { Templates } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import type { Page, PageQuery } from "#src/paging/Page.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Suppressions } from "#src/people/Suppressions.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { Audit } from "#src/reports/Audit.ts"
import { Inbox } from "#src/reports/Inbox.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"

const ada = UserId.make("ada")

/** Rows 1 to 3 of each list, of which another version wrote the second: `x` is the text that the others have there. */
const filled = Effect.fnUntraced(function*(scope: Scope) {
  const sql = yield* SqlClient.SqlClient
  const rows = (good: string, bad = "[]") =>
    sql`(select ${scope}::int as scope, n, n::text as id, case n when 2 then ${bad}::text else ${good}::text end as x
      from generate_series(1, 3) n) r`
  yield* sql`insert into tenants (scope, id, name, created_at, updated_at) values (${scope}, 'top', '', 0, 0)`
  yield* sql`insert into tenants (scope, id, name, parent_id, properties, created_at, updated_at)
    select scope, id, '', 'top', x, 0, 0 from ${rows("{}")}`
  yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, created_at, updated_at)
    select scope, id, 'ada', x, 0, 0 from ${rows("{}")}
    union all select scope, 'top', id, x, 0, 0 from ${rows("{}")}`
  yield* sql`insert into tenant_templates (scope, tenant_id, template_id, latest, created_at, updated_at)
    select scope, 'top', id, 1, 0, 0 from ${rows("")}`
  yield* sql`insert into tenant_template_versions (scope, tenant_id, template_id, version, template, created_at)
    select scope, 'top', id, 1, x, 0 from ${rows(`{"content":{"elements":[]}}`)}`
  yield* sql`insert into brands (scope, id, name, settings, version, created_at, updated_at, published_at)
    select scope, id, '', x, 0, n, 0, 0 from ${rows("{}")}`
  yield* sql`insert into lists (scope, id, name, preferences, created_at, updated_at)
    select scope, id, '', x, 0, 0 from ${rows("{}")}`
  yield* sql`insert into list_subscriptions (scope, list_id, user_id, preferences, created_at)
    select scope, id, 'ada', x, 0 from ${rows("{}")} union all select scope, '2', id, x, 0 from ${rows("{}")}`
  yield* sql`insert into audiences (scope, id, name, description, filter, operator, version, created_at, updated_at)
    select scope, id, '', '', null, x, 0, 0, 0 from ${rows("AND", "XOR")}`
  yield* sql`insert into templates (scope, id, draft, summary, latest, draft_at, created_at)
    select scope, id, '', x, 0, 0, n from ${rows(`{"name":"","tags":[]}`)}`
  yield* sql`insert into routing_strategies (scope, id, strategy, created_at)
    select scope, id, x, n from ${rows(`{"name":"a","routing":{"method":"all","channels":[]}}`)}`
  yield* sql`insert into bulk_jobs (scope, id, definition, created_at) values (${scope}, 'job', '{}', 0)`
  yield* sql`insert into bulk_users (scope, job_id, position, key, bulk_user)
    select scope, 'job', n, id, x from ${rows("{}")}`
  yield* sql`insert into inbox (scope, user_id, message_id, created_at, rendered)
    select scope, 'ada', '1-10000000-' || lpad(n::text, 24, '0'), n, x
    from ${rows(`{"title":"","subject":"","body":"","text":"","html":"","blocks":[],"actions":[]}`)}`
  yield* sql`insert into audit_events (scope, id, at, type, source, target, actor)
    select scope, id, n, '', '', '', x from ${rows(`{"id":"a"}`)}`
  yield* sql`insert into device_tokens (scope, token, user_id, provider, details, status, created_at, updated_at)
    select scope, 'token ' || n || scope, 'ada', 'apn', '{}', x, n, 0 from ${rows("active", "LATER")}`
  yield* sql`insert into suppressions (scope, channel, address, reason, created_at)
    select scope, x, id || '@example.com', 'MANUAL', n from ${rows("email", "LATER")}`
  yield* sql`insert into preference_sections (scope, id, section, created_at)
    select scope, id, x, n from ${rows(`{"name":"a"}`)}`
})

/** Everything that is listed, by name; what has no pages is one page. */
const listsOf = Effect.fnUntraced(function*(scope: Scope) {
  const [audiences, audit, brands, inbox, jobs, lists] = [
    yield* Audiences,
    yield* Audit,
    yield* Brands,
    yield* Inbox,
    yield* Jobs,
    yield* Lists
  ]
  const [log, memberships, strategies, templates, tenants, tenantTemplates] = [
    yield* MessageLog,
    yield* Memberships,
    yield* Strategies,
    yield* Templates,
    yield* Tenants,
    yield* TenantTemplates
  ]
  const [catalogue, suppressions, tokens] = [yield* PreferenceCatalogue, yield* Suppressions, yield* DeviceTokens]
  const whole = <A, E>(all: Effect.Effect<ReadonlyArray<A>, E>) =>
    Effect.map(all, (items): Page<A> => ({ items, cursor: undefined }))
  const paged: Readonly<Record<string, (page: PageQuery) => Effect.Effect<Page<unknown>, unknown>>> = {
    audiences: (page) => audiences.list(scope, page),
    "audit events": (page) => audit.list(scope, page),
    brands: (page) => brands.list(scope, page),
    "inbox of a user": (page) => inbox.list(scope, ada, page),
    "users of a bulk job": (page) => jobs.users(scope, "job", page),
    lists: (page) => lists.list(scope, { ...page, pattern: undefined }),
    "lists of a user": (page) => lists.listsOf(scope, ada, page),
    "subscriptions of a list": (page) => lists.subscriptions(scope, "2", page),
    messages: (page) => log.list(scope, { ...Fixture.anything, ...page }),
    requests: (page) => log.requests(scope, { ...page, state: undefined }),
    "tenants of a user": (page) => memberships.ofUser(scope, ada, page),
    "users of a tenant": (page) => memberships.ofTenant(scope, "top", page),
    "routing strategies": (page) => strategies.list(scope, page),
    "suppressed addresses": (page) => suppressions.list(scope, { ...page, channel: undefined, reason: undefined }),
    templates: (page) => templates.list(scope, { ...page, alias: undefined, strategyId: undefined }),
    "tenants below one": (page) => tenants.list(scope, { ...page, parentId: "top" }),
    "templates of a tenant": (page) => tenantTemplates.list(scope, "top", page)
  }
  return {
    paged,
    unpaged: {
      "device tokens of a user": whole(tokens.list(scope, ada)),
      "sections of preferences": whole(catalogue.sections(scope))
    }
  }
})

type Services =
  | Audiences
  | Audit
  | Brands
  | DeviceTokens
  | Inbox
  | Jobs
  | Journal
  | Lists
  | Memberships
  | MessageLog
  | PreferenceCatalogue
  | SqlClient.SqlClient
  | Strategies
  | Suppressions
  | Templates
  | Tenants
  | TenantTemplates

const planted = Effect.gen(function*() {
  const place = yield* Fixture.world
  const sql = yield* SqlClient.SqlClient
  const journal = yield* Journal
  yield* filled(place.scope)
  for (const status of ["ENQUEUED", "LATER", "ENQUEUED"]) {
    const { id } = yield* Fixture.accepted(place)
    yield* sql`update messages set status = ${status} where id = ${id}`
    const request = Fixture.id(place.at)
    yield* journal.accept({
      ...Fixture.acceptance(place, []),
      expansion: {
        id: request,
        scope: place.scope,
        shard: place.shard,
        keyState: "published",
        recipients: [{ list_id: "everyone" }],
        instructions: { content: { title: "Hello", body: "World" } }
      }
    })
    if (status === "LATER") yield* sql`update expansions set state = ${status} where id = ${request}`
  }
  return place.scope
})

/** Lists that have a row of another version, or one that something else wrote, over any Postgres. */
export const unreadableLists = <E>(name: string, stores: Layer.Layer<Services, E>) =>
  layer(stores)(`Lists with a row that does not decode: ${name}`, (it) => {
    it.effect("X1: it is left out, on whatever page it comes, and the others are listed", () =>
      Effect.gen(function*() {
        const { paged, unpaged } = yield* listsOf(yield* planted)
        for (const [what, page] of Object.entries(paged)) {
          const { cursor, items } = yield* page({ limit: 10, cursor: undefined })
          assert.deepStrictEqual([items.length, cursor], [2, undefined], what)
          for (const limit of [1, 2]) {
            const seen = yield* Walk.all(
              (cursor) => page({ limit, cursor }),
              (item) => JSON.stringify(item),
              () => Effect.void
            )
            assert.deepStrictEqual(seen, items.map((item) => JSON.stringify(item)), `${what}, by ${limit}`)
          }
        }
        for (const [what, page] of Object.entries(unpaged)) assert.lengthOf((yield* page).items, 2, what)
      }))

    it.effect("X1: each is logged once, by its id, and can be deleted", () =>
      Effect.gen(function*() {
        const heard: Array<unknown> = []
        const audiences = yield* Audiences
        const scope = yield* planted
        const sql = yield* SqlClient.SqlClient
        yield* sql`update audiences set id = 'of later' where scope = ${scope} and id = '2'`
        const listed = audiences.list(scope, { limit: 10, cursor: undefined })
        yield* Effect.repeat(listed, { times: 2 }).pipe(
          Effect.provide(Logger.layer([Logger.make(({ message }) => heard.push(message))]))
        )
        assert.lengthOf(heard, 1)
        assert.include(JSON.stringify(heard), "of later")
        assert.isTrue(yield* audiences.remove(scope, "of later"), "it can be deleted")
      }))
  })
