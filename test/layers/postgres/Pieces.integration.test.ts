import * as Others from "#layers/postgres/lists/Others.ts"
import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Brands } from "#src/content/Brands.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { Lists } from "#src/people/Lists.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Effect, Exit, Fiber, Latch, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)
const most = 1_000
const many = 2_500

const plain = (name: string) => ({ userId: UserId.make(name), preferences: undefined })
const users = (from: number, to: number) => Array.range(from, to - 1).map((n) => plain(`u${n}`))

/** Notes how many rows each statement writes of what requests name many of. `z-refused` the database refuses. */
const noted = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table noted (place text, written bigint)`
  yield* sql.unsafe(`create function note() returns trigger language plpgsql as $$ begin
    insert into noted select tg_table_name, count(*) from changed;
    return null;
  end $$`)
  for (const table of ["list_subscriptions", "lists", "bulk_users", "tenant_users", "tenants"]) {
    for (const [event, rows] of [["insert", "new"], ["update", "new"], ["delete", "old"]]) {
      yield* sql.unsafe(`create trigger note_${event} after ${event} on ${table} referencing ${rows} table as changed
        for each statement execute function note()`)
    }
  }
  yield* sql`alter table list_subscriptions add check (user_id <> 'z-refused' and list_id <> 'z-refused')`
}))

const stores = noted.pipe(Layer.provideMerge(Stores.layer), Layer.provideMerge(FreshDatabase.layerEmpty))

const decodeSizes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ size: Schema.Int })))
const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
const decodeProfiles = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ profile: Schema.String })))

layer(stores, { timeout: "120 seconds" })("What is written in pieces", (it) => {
  /** How many rows of the table each statement of an effect writes, those that write none left out. */
  const sizes = <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from noted`
      yield* effect
      const found = yield* decodeSizes(
        yield* sql`select written::int as size from noted where written > 0 and place = ${table}`
      )
      return found.map(({ size }) => size)
    })
  const assertPieces = (found: ReadonlyArray<number>, total: number) => {
    assert.strictEqual(found.reduce((sum, size) => sum + size, 0), total)
    assert.isAtMost(Math.max(...found), most)
  }
  const subscribed = Effect.fnUntraced(function*(id: ListId) {
    const sql = yield* SqlClient.SqlClient
    const found = yield* decodeNames(yield* sql`select user_id as name from list_subscriptions where list_id = ${id}`)
    return found.map(({ name }) => name).toSorted()
  })
  const names = (all: ReadonlyArray<{ readonly userId: string }>) => all.map(({ userId }) => userId).toSorted()

  it.effect("no statement writes more than a thousand subscriptions, however many a request names or a list has", () =>
    Effect.gen(function*() {
      const lists = yield* Lists
      const id = ListId.make("large")
      assertPieces(yield* sizes("list_subscriptions", lists.subscribe(scope, id, users(0, many))), many)
      assertPieces(yield* sizes("list_subscriptions", lists.subscribe(scope, id, users(0, many + 1))), 1)
      assertPieces(
        yield* sizes("list_subscriptions", lists.replaceSubscriptions(scope, id, users(2_000, 2_000 + many))),
        2 * 1_999 + 1
      )
      assert.deepStrictEqual(yield* subscribed(id), names(users(2_000, 2_000 + many)))
      assertPieces(yield* sizes("list_subscriptions", lists.putSubscription(scope, id, plain("u2000"))), 0)
      assertPieces(
        yield* sizes("list_subscriptions", lists.replaceSubscriptions(scope, id, users(2_000, 2_000 + many))),
        0
      )
      assertPieces(yield* sizes("list_subscriptions", lists.replaceSubscriptions(scope, id, [])), many)
      assert.deepStrictEqual(yield* subscribed(id), [])
    }))

  it.effect("all pieces are one change: if the last is refused, nothing has changed", () =>
    Effect.gen(function*() {
      const lists = yield* Lists
      const id = ListId.make("whole")
      const refused = [...users(0, many), plain("z-refused")]
      assert.strictEqual(Exit.isFailure(yield* Effect.exit(lists.subscribe(scope, id, refused))), true)
      assert.strictEqual((yield* Effect.flip(lists.get(scope, id)))._tag, "ListNotFound")
      assert.deepStrictEqual(yield* subscribed(id), [])
      yield* lists.subscribe(scope, id, users(many, 2 * many))
      assert.strictEqual(Exit.isFailure(yield* Effect.exit(lists.replaceSubscriptions(scope, id, refused))), true)
      assert.deepStrictEqual(yield* subscribed(id), names(users(many, 2 * many)))
    }))

  it.effect("of several users whom a call subscribes while the list is replaced, all remain", () =>
    Effect.gen(function*() {
      const lists = yield* Lists
      const sql = yield* SqlClient.SqlClient
      const id = ListId.make("replaced")
      const meanwhile = ["a-first", "z-last"].map(plain)
      yield* lists.subscribe(scope, id, users(0, many))
      const opened = Latch.makeUnsafe()
      const written = Latch.makeUnsafe()
      const replaced = yield* Effect.gen(function*() {
        const removeOthers = yield* Others.make(sql)(scope, id)
        yield* opened.open
        yield* written.await
        yield* removeOthers(new Set())
      }).pipe(sql.withTransaction, Effect.forkChild)
      yield* opened.await
      yield* lists.subscribe(scope, id, meanwhile)
      yield* written.open
      yield* Fiber.join(replaced)
      assert.deepStrictEqual(yield* subscribed(id), names(meanwhile))
    }))

  it.effect("nor of lists that a user joins, which are one change too", () =>
    Effect.gen(function*() {
      const lists = yield* Lists
      const [ada, bob, cy] = [UserId.make("ada"), UserId.make("bob"), UserId.make("cy")]
      const memberships = Array.makeBy(many, (n) => ({ listId: ListId.make(`l${n}`), preferences: undefined }))
      yield* lists.put(scope, ListId.make("l7"), { name: "seven", preferences: undefined })
      yield* lists.remove(scope, "l7")
      assertPieces(yield* sizes("lists", lists.join(scope, ada, memberships)), many)
      assert.strictEqual((yield* lists.get(scope, "l7")).name, "seven")
      assert.strictEqual((yield* lists.get(scope, `l${many - 1}`)).name, `l${many - 1}`)
      assertPieces(yield* sizes("list_subscriptions", lists.join(scope, bob, memberships)), many)
      assertPieces(yield* sizes("list_subscriptions", lists.join(scope, bob, memberships)), 0)
      const refused = [...memberships, { listId: ListId.make("z-refused"), preferences: undefined }]
      assert.strictEqual(Exit.isFailure(yield* Effect.exit(lists.join(scope, cy, refused))), true)
      assert.strictEqual((yield* lists.listsOf(scope, cy, { limit: 1, cursor: undefined })).items.length, 0)
    }))

  it.effect("nor of users of a bulk job, whose positions have no gaps", () =>
    Effect.gen(function*() {
      const jobs = yield* Jobs
      const id = yield* jobs.create(scope, { event: "e" })
      const given = (from: number, to: number) =>
        Array.range(from, to - 1).map((n) => ({ key: `k${n}`, user: { recipient: `u${n}` }, error: undefined }))
      assertPieces(yield* sizes("bulk_users", jobs.add(scope, id, given(0, many))), many)
      const known = yield* jobs.add(scope, id, given(many - 1, 2 * many))
      assert.deepStrictEqual([...known], [`k${many - 1}`])
      const sql = yield* SqlClient.SqlClient
      const found = yield* decodeNames(
        yield* sql`select key as name from bulk_users where job_id = ${id} order by position`
      )
      assert.deepStrictEqual(found.map(({ name }) => name), given(0, 2 * many).map(({ key }) => key))
      assert.strictEqual((yield* jobs.find(scope, id)).received, 2 * many)
    }))

  it.effect("nor of tenants that a user becomes a member of", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const memberships = yield* Memberships
      const ada = UserId.make("ada")
      yield* sql`insert into tenants (scope, id, name, created_at, updated_at)
        select ${scope}, 't' || n, '', 0, 0 from generate_series(1, ${many}::int) n`
      const given = Array.makeBy(many, (n) => ({ tenantId: `t${n + 1}`, profile: { n } }))
      assertPieces(yield* sizes("tenant_users", memberships.put(scope, ada, given)), many)
      assertPieces(yield* sizes("tenant_users", memberships.put(scope, ada, given)), 0)
      const [last] = yield* decodeProfiles(
        yield* sql`select profile from tenant_users where user_id = ${ada} and tenant_id = ${`t${many}`}`
      )
      assert.deepStrictEqual(last, { profile: JSON.stringify({ n: many - 1 }) })
    }))

  it.effect("nor of what a user leaves, or is forgotten in, which is one change too", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const lists = yield* Lists
      const memberships = yield* Memberships
      const profiles = yield* Profiles
      const dan = UserId.make("dan")
      yield* sql`insert into list_subscriptions (scope, list_id, user_id, created_at)
        select s, 'm' || n, ${dan}, 0 from generate_series(1, ${many}::int) n, generate_series(1, 2) s`
      yield* sql`insert into tenant_users (scope, tenant_id, user_id, profile, created_at, updated_at)
        select s, 'm' || n, ${dan}, '{}', 0, 0 from generate_series(1, ${many}::int) n, generate_series(1, 2) s`
      const left = sql`select scope, count(*)::int as count, count(profile)::int as profiles from (
        select scope, null as profile from list_subscriptions where user_id = ${dan}
        union all select scope, profile from tenant_users where user_id = ${dan}) every group by 1 order by 1`
      yield* sql`alter table tenant_users add check (tenant_id <> 'm999' or profile is not null) not valid`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(profiles.remove(scope, dan))))
      assert.deepStrictEqual(yield* left, [1, 2].map((scope) => ({ scope, count: 2 * many, profiles: many })))
      yield* sql`alter table tenant_users drop constraint tenant_users_check`
      assertPieces(yield* sizes("tenant_users", profiles.remove(scope, dan)), many)
      assertPieces(yield* sizes("list_subscriptions", lists.leave(scope, dan)), many)
      assertPieces(yield* sizes("tenant_users", memberships.removeAll(scope, dan)), many)
      assert.deepStrictEqual(yield* left, [{ scope: 2, count: 2 * many, profiles: many }])
    }))

  it.effect("nor of the children that a tenant lost which is made anew", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const tenants = yield* Tenants
      yield* tenants.replace(scope, "parent", { name: "parent" })
      yield* sql`insert into tenants (scope, id, name, parent_id, created_at, updated_at)
        select ${scope}, 'child' || n, '', 'parent', 0, 0 from generate_series(1, ${many}::int) n`
      yield* tenants.remove(scope, "parent")
      assertPieces(yield* sizes("tenants", tenants.replace(scope, "parent", { name: "anew" })), many + 1)
      assert.lengthOf(yield* sql`select 1 from tenants where parent_id is not null`, 0)
    }))

  it.effect("a brand that the last of many tenants names in a template stays, and one that none names goes", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const brands = yield* Brands
      for (const id of ["default", "named", "free"]) yield* brands.create(scope, id, { name: id })
      const templates = yield* TenantTemplates
      yield* sql`insert into tenants (scope, id, name, created_at, updated_at)
        select ${scope}, 'w' || n, '', 0, 0 from generate_series(1, ${many}::int) n`
      const content = { elements: [] }
      yield* templates.put(scope, `w${many}`, "t", { content, channels: { email: { brand_id: "named" } } }, false)
      assert.deepInclude(yield* Effect.flip(brands.remove(scope, "named")), { by: "tenant template" })
      yield* brands.remove(scope, "free")
      yield* templates.remove(scope, `w${many}`, "t")
      yield* brands.remove(scope, "named")
    }))
})
