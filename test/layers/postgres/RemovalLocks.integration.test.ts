import { Brands } from "#src/content/Brands.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as LockWaits from "#test/layers/postgres/LockWaits.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"

const draft = { provider: "sendgrid", title: undefined, alias: undefined, settings: undefined }
const brand = { name: "Acme", settings: undefined, snippets: undefined }

const started = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const sql = yield* SqlClient.SqlClient
  const [brands, configurations, templates] = [yield* Brands, yield* ProviderConfigurations, yield* TenantTemplates]
  yield* brands.create(scope, "default", brand)
  yield* brands.create(scope, "other", brand)
  const { id } = yield* configurations.create(scope, draft)
  yield* (yield* Tenants).replace(scope, "acme", { name: "Acme" })
  return {
    scope,
    sql,
    waiting: LockWaits.until(sql),
    named: (way: object) =>
      templates.put(scope, "acme", "t", { content: { version: "v", elements: [] }, ...way }, false),
    kinds: {
      brand: {
        way: { channels: { email: { brand_id: "other" } } },
        kind: "brands",
        create: Effect.map(Effect.exit(brands.create(scope, undefined, brand)), String),
        remove: Effect.map(Effect.exit(brands.remove(scope, "other")), String)
      },
      provider: {
        way: { channels: { email: { providers: [id] } } },
        kind: "providers",
        create: Effect.map(Effect.exit(configurations.create(scope, { ...draft, provider: "postmark" })), String),
        remove: Effect.map(Effect.exit(configurations.remove(scope, id)), String)
      }
    }
  }
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "What is deleted unless a tenant's template names it, on Postgres",
  (it) => {
    it.effect.each(["brand", "provider"] as const)(
      "a %s: others write while the templates are looked through",
      (kind) =>
        Effect.gen(function*() {
          const { kinds, sql, waiting } = yield* started
          const { create, remove } = kinds[kind]
          const locked = yield* Latch.make()
          const end = yield* Latch.make()
          const other = yield* sql`lock table tenant_templates in access exclusive mode`.pipe(
            Effect.andThen(locked.open),
            Effect.andThen(end.await),
            sql.withTransaction,
            Effect.forkChild
          )
          yield* locked.await
          const removed = yield* Effect.forkChild(remove)
          yield* waiting(1)
          assert.match(yield* Effect.timeout(create, "2 seconds"), /^Success/)
          yield* end.open
          yield* Fiber.join(other)
          assert.match(yield* Fiber.join(removed), /^Success/)
        })
    )

    it.effect.each(["brand", "provider"] as const)(
      "a %s: a template that is written after that is seen",
      (kind) =>
        Effect.gen(function*() {
          const { kinds, named, scope, sql, waiting } = yield* started
          const { remove, way } = kinds[kind]
          const goOn = yield* LockWaits.held(sql, "revisions")(sql`scope = ${scope} and kind = ${kinds[kind].kind}`)
          const removed = yield* Effect.forkChild(remove)
          yield* waiting(1)
          yield* named(way)
          yield* goOn
          assert.include(yield* Fiber.join(removed), "InUse")
        })
    )
  }
)
