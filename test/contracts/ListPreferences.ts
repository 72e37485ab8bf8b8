import { ListId } from "#schemas/List.ts"
import type { RecipientPreferences } from "#schemas/Preferences.ts"
import { UserId } from "#schemas/Profile.ts"
import { ListPreferences } from "#src/people/ListPreferences.ts"
import { Lists } from "#src/people/Lists.ts"
import { TenantPreferences } from "#src/people/TenantPreferences.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

const said = (id: string): RecipientPreferences => ({ notifications: { [id]: { status: "OPTED_OUT" } } })

/** What every store of what lists, subscriptions and tenants say promises. */
export const listPreferencesContract = <E>(
  name: string,
  stores: Layer.Layer<ListPreferences | Lists | TenantPreferences | Tenants, E>
) =>
  layer(stores)(`ListPreferences: ${name}`, (it) => {
    it.effect("a list and a subscription each have their say; P10: elsewhere they have none", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const elsewhere = yield* Fixture.world
        const lists = yield* Lists
        const words = yield* ListPreferences
        const [both, mute] = [ListId.make("both"), ListId.make("mute")]
        yield* lists.put(scope, both, { name: "B", preferences: said("list") })
        yield* lists.subscribe(scope, both, [
          { userId: Fixture.user, preferences: said("subscription") },
          { userId: UserId.make("bob"), preferences: undefined }
        ])
        yield* lists.subscribe(scope, mute, [{ userId: Fixture.user, preferences: said("only") }])
        const found = yield* Effect.all([
          words.find(scope, both, Fixture.user),
          words.find(scope, both, UserId.make("bob")),
          words.find(scope, mute, Fixture.user),
          words.find(scope, "none", Fixture.user),
          words.find(elsewhere.scope, both, Fixture.user),
          words.find(scope, both, Fixture.user)
        ], { concurrency: "unbounded" })
        const nothing = { list: undefined, subscription: undefined }
        assert.deepStrictEqual(found, [
          { list: said("list"), subscription: said("subscription") },
          { list: said("list"), subscription: undefined },
          { list: undefined, subscription: said("only") },
          nothing,
          nothing,
          { list: said("list"), subscription: said("subscription") }
        ])
      }))

    it.effect("tenants' defaults for a topic, nearest first, four levels up", () =>
      Effect.gen(function*() {
        const { scope } = yield* Fixture.world
        const tenants = yield* Tenants
        const defaults = yield* TenantPreferences
        const line = ["t1", "t2", "t3", "t4", "t5"]
        for (const [index, id] of line.entries()) {
          yield* tenants.replace(scope, id, { name: id, parent_tenant_id: line[index - 1] })
          if (id !== "t3") yield* tenants.setPreference(scope, id, "news", { status: "OPTED_OUT" })
        }
        const chain = yield* defaults.chain(scope, "t5", "news")
        assert.deepStrictEqual(chain.map(({ status, tenantId }) => [tenantId, status]), [
          ["t5", "OPTED_OUT"],
          ["t4", "OPTED_OUT"],
          ["t2", "OPTED_OUT"]
        ])
        assert.deepStrictEqual(yield* defaults.chain(scope, "t5", "other"), [])
        assert.deepStrictEqual(yield* defaults.chain(scope, "none", "news"), [])
      }))
  })
