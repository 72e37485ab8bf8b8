import * as Record from "#layers/postgres/journal/Record.ts"
import * as Unreadable from "#layers/postgres/journal/Unreadable.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { UserId } from "#schemas/Profile.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Templates } from "#src/content/Templates.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { UserPreferences } from "#src/people/UserPreferences.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { template } from "#test/contracts/TemplateFixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as LockWaits from "#test/layers/postgres/LockWaits.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"

const rounds = 50
const draft = { provider: "sendgrid", title: undefined, alias: undefined, settings: undefined }

/** Three messages in the order of their ids, each with a call of the configuration `old`, whose name goes to another one with it. */
const started = Effect.gen(function*() {
  const place = yield* Fixture.world
  const sql = yield* SqlClient.SqlClient
  const journal = yield* Journal
  const configurations = yield* ProviderConfigurations
  const { id: old } = yield* configurations.create(place.scope, draft)
  yield* configurations.create(place.scope, draft)
  const { epoch } = yield* journal.take(place.shard, "node", place.at)
  const called = Effect.fnUntraced(function*() {
    const message = yield* Fixture.accepted(place)
    const attempt = Fixture.attempt(1, "rejected", { provider: "sendgrid", kind: "Unavailable" })
    yield* journal.record(Fixture.step(message, epoch, { attempt }))
    return message
  })
  const [first, second, third] = (yield* Effect.all([called(), called(), called()])).toSorted((a, b) =>
    a.id < b.id ? -1 : 1
  )
  assert(first !== undefined && second !== undefined && third !== undefined)
  const messages = [first, second, third] as const

  const waiting = LockWaits.until(sql)

  const rows = LockWaits.held(sql, "messages")
  /** Has a message locked (`LockWaits.held`). */
  const held = <E>(id: string, last?: Effect.Effect<unknown, E>) =>
    rows(sql`scope = ${place.scope} and id = ${id}`, last)

  const names = sql`select provider from attempts where scope = ${place.scope}`.pipe(
    Effect.map((rows) => rows.map(({ provider }) => provider))
  )
  const remove = configurations.remove(place.scope, old)
  return { place, sql, epoch, messages, waiting, held, names, old, remove }
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "The order of locks on Postgres",
  (it) => {
    it.effect(
      "a change of the providers' names waits for a receipt that has its message, and not that for it",
      () =>
        Effect.gen(function*() {
          const { held, messages: [message], names, old, place, remove, sql, waiting } = yield* started
          const receipt = yield* held(
            message.id,
            sql`update attempts set reference = 'r' where scope = ${place.scope} and message_id = ${message.id}`
          )
          const removal = yield* Effect.forkChild(remove)
          yield* waiting(1)
          yield* receipt
          yield* Fiber.join(removal)
          assert.deepStrictEqual(yield* names, [old, old, old])
        }),
      30_000
    )

    it.effect.each([[0, 1, 2], [2, 1, 0]])(
      "steps and a change of the providers' names take messages in one order, whatever the order of the steps: %s",
      (order) =>
        Effect.gen(function*() {
          const { epoch, held, messages, names, old, remove, sql, waiting } = yield* started
          const other = yield* held(messages[1].id)
          const batch = order.flatMap((n) => messages.slice(n, n + 1)).map((message) => Fixture.step(message, epoch))
          const steps = yield* Effect.forkChild(Record.write(sql)(batch, false))
          yield* waiting(1)
          const removal = yield* Effect.forkChild(remove)
          yield* waiting(2)
          yield* other
          yield* Fiber.join(removal)
          assert.deepStrictEqual((yield* Fiber.join(steps)).map(({ _tag }) => _tag), ["Written", "Written", "Written"])
          assert.deepStrictEqual(yield* names, [old, old, old])
        }),
      30_000
    )

    it.effect.each([[0, 1, 2], [2, 1, 0]])(
      "so do events that are told together: %s",
      (order) =>
        Effect.gen(function*() {
          const { held, messages, names, old, place: { at, scope }, remove, waiting } = yield* started
          const { observeAll } = yield* Journal
          const other = yield* held(messages[1].id)
          const told = yield* Effect.forkChild(
            observeAll(
              order.flatMap((n) => messages.slice(n, n + 1)).map(({ id }) => ({
                scope,
                id,
                event: "Open" as const,
                history: { type: "OPENED" as const, ts: at + 50 }
              }))
            )
          )
          yield* waiting(1)
          const removal = yield* Effect.forkChild(remove)
          yield* waiting(2)
          yield* other
          yield* Fiber.join(removal)
          yield* Fiber.join(told)
          const log = yield* MessageLog
          for (const { id } of messages) assert.strictEqual((yield* log.get(scope, id)).opened, at + 50)
          assert.deepStrictEqual(yield* names, [old, old, old])
        }),
      30_000
    )

    it.effect(
      "writers of one user's preferences never wait for each other in a circle",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const users = yield* UserPreferences
          const owner = { scope, userId: Fixture.user, tenantId: undefined }
          const said = (topics: string) =>
            Array.from(topics, (topicId) => ({ topicId, setting: { status: "OPTED_IN" as const } }))
          for (let round = 0; round < rounds; round++) {
            yield* Effect.all([
              users.put(owner, said("fedcba")),
              users.replace(owner, said("ca"), Array.from("abcdef")),
              users.merge(owner, said("abcdef")),
              users.replace(owner, said("fd"), Array.from("abcdef")),
              users.put(owner, said("abef"))
            ], { concurrency: "unbounded" })
          }
        }),
      60_000
    )

    it.effect("messages that are set aside are locked in the order of their ids, in whatever order they were read", () =>
      Effect.gen(function*() {
        const { held, messages: [first, second, third], place, sql, waiting } = yield* started
        const release = yield* held(
          first.id,
          sql`select from messages where scope = ${place.scope} and id = ${third.id} for update`
        )
        const aside = yield* Effect.forkChild(Unreadable.setAside(sql, "message", [third, second, first]))
        yield* waiting(1)
        yield* release
        yield* Fiber.join(aside)
        assert.lengthOf(yield* sql`select 1 from messages where scope = ${place.scope} and due_at is null`, 3)
      }))

    it.effect("a request's messages are archived in the order of their ids, in whatever order they are stored", () =>
      Effect.gen(function*() {
        const { held, messages: [first, second, third], place, sql, waiting } = yield* started
        const log = yield* MessageLog
        const request = MessageId.make(`${first.id.slice(0, -1)}${first.id.endsWith("f") ? "e" : "f"}`)
        yield* sql`update messages set request_id = ${request} where scope = ${place.scope}`
        // Versions in the order in which they are to be met.
        for (const { id } of [third, second, first]) {
          yield* sql`update messages set providers = providers where scope = ${place.scope} and id = ${id}`
        }
        const release = yield* held(
          first.id,
          sql`select from messages where scope = ${place.scope} and id = ${third.id} for update`
        )
        const archived = yield* Effect.forkChild(log.archive(place.scope, request))
        yield* waiting(1)
        yield* release
        yield* Fiber.join(archived)
        assert.lengthOf(yield* sql`select 1 from messages where scope = ${place.scope} and archived`, 3)
      }))

    it.effect(
      "writers that give templates each other's aliases are refused, and never wait for each other in a circle",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const templates = yield* Templates
          const aliases = ["a", "b", "c"]
          const draft = (alias: string) => ({ template: template("t"), alias, publish: false })
          const made = yield* Effect.forEach(aliases, (alias) => templates.create(scope, draft(alias)))
          const turned = (by: number) =>
            made.map(({ id }, n) => Effect.flip(templates.replace(scope, id, draft(aliases.at((n + by) % 3) ?? ""))))
          for (let round = 0; round < rounds; round++) {
            const ends = yield* Effect.all([...turned(1), ...turned(2)], { concurrency: "unbounded" })
            assert.deepStrictEqual([...new Set(ends.map(({ _tag }) => _tag))], ["AliasTaken"], `round ${round}`)
          }
        }),
      60_000
    )

    it.effect.each(["leaves all tenants", "is forgotten in all tenants"])(
      "who %s waits for who joins them, and not that for him",
      (how) =>
        Effect.gen(function*() {
          const { place: { scope }, sql, waiting } = yield* started
          const memberships = yield* Memberships
          const profiles = yield* Profiles
          const tenants = yield* Tenants
          for (const tenantId of ["b", "a"]) {
            yield* tenants.replace(scope, tenantId, { name: tenantId })
            yield* memberships.put(scope, "ada", [{ tenantId, profile: { at: tenantId } }])
          }
          const leave = how.startsWith("leaves")
            ? memberships.removeAll(scope, "ada")
            : profiles.remove(scope, UserId.make("ada"))
          const take = (tenantId: string) =>
            sql`select from tenant_users where scope = ${scope} and tenant_id = ${tenantId} and user_id = 'ada' for update`
          const locked = yield* Latch.make()
          const end = yield* Latch.make()
          const joining = yield* take("a").pipe(
            Effect.andThen(locked.open),
            Effect.andThen(end.await),
            Effect.andThen(take("b")),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* locked.await
          // Found by an index, the rows would come in order by chance.
          const left = yield* sql`set local enable_indexscan = off`.pipe(
            Effect.andThen(sql`set local enable_bitmapscan = off`),
            Effect.andThen(leave),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* waiting(1)
          yield* end.open
          yield* Fiber.join(joining)
          yield* Fiber.join(left)
          assert.lengthOf(yield* sql`select 1 from tenant_users where scope = ${scope} and profile is not null`, 0)
        })
    )
  }
)
