import type { Scope } from "#schemas/Scope.ts"
import {
  ada,
  audienceOf,
  bob,
  cy,
  gone,
  one,
  type Part,
  parts,
  plain,
  type Services,
  services,
  text,
  two
} from "#test/contracts/people/Furnished.ts"
import type * as Stores from "#test/layers/postgres/Stores.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const said = { notifications: { n: { status: "OPTED_IN" as const } } }
const inn = { status: "OPTED_IN" as const }
const phone = "ada's phone"
const ofAcme = [
  "tenant acme",
  "tenant child",
  "members of acme",
  "tenants of ada",
  "tenants of bob",
  "template nt of acme",
  "template nu of acme"
]
const revived = ["list gone", "subscribers of gone", "lists of ada", "lists of bob"]

interface Write {
  readonly run: (stores: Services, scope: Scope) => Effect.Effect<unknown, unknown>
  /** What is not as it was afterwards. */
  readonly changes: ReadonlyArray<string>
}

type Writes = Readonly<Record<string, Write>>

const write = (run: Write["run"], ...changes: ReadonlyArray<string>): Write => ({ run, changes })

const ofLists: Writes = {
  "a list is put": write(
    ({ lists }, scope) => lists.put(scope, one, { name: "New", preferences: said }),
    "list one",
    "lists of ada",
    "lists of bob"
  ),
  "a list is removed": write(
    ({ lists }, scope) => lists.remove(scope, one),
    "list one",
    "subscribers of one",
    "lists of ada",
    "lists of bob"
  ),
  "a list is restored": write(({ lists }, scope) => lists.restore(scope, gone), ...revived),
  "one subscribes": write(
    ({ lists }, scope) => lists.subscribe(scope, one, [plain(cy)]),
    "subscribers of one",
    "lists of cy"
  ),
  "one subscribes to a deleted list": write(
    ({ lists }, scope) => lists.subscribe(scope, gone, [plain(cy)]),
    ...revived,
    "lists of cy"
  ),
  "subscriptions are replaced": write(
    ({ lists }, scope) => lists.replaceSubscriptions(scope, one, [plain(ada)]),
    "subscribers of one",
    "lists of bob"
  ),
  "subscriptions of a deleted list are replaced": write(
    ({ lists }, scope) => lists.replaceSubscriptions(scope, gone, [plain(ada)]),
    "list gone",
    "subscribers of gone",
    "lists of ada"
  ),
  "a subscription is put": write(
    ({ lists }, scope) => lists.putSubscription(scope, one, { userId: ada, preferences: said }),
    "subscribers of one",
    "lists of ada"
  ),
  "a subscription of a deleted list is put": write(
    ({ lists }, scope) => lists.putSubscription(scope, gone, plain(ada)),
    ...revived
  ),
  "a subscription is removed": write(
    ({ lists }, scope) => lists.removeSubscription(scope, one, ada),
    "subscribers of one",
    "lists of ada"
  ),
  "one joins lists": write(
    ({ lists }, scope) => lists.join(scope, ada, [two, gone].map((listId) => ({ listId, preferences: said }))),
    "subscribers of two",
    ...revived
  ),
  "one leaves all lists": write(
    ({ lists }, scope) => lists.leave(scope, ada),
    "subscribers of one",
    "subscribers of two",
    "lists of ada"
  )
}

const ofTenants: Writes = {
  "a tenant is replaced": write(({ tenants }, scope) => tenants.replace(scope, "acme", { name: "New" }), "tenant acme"),
  "a tenant is removed": write(
    ({ tenants }, scope) => tenants.remove(scope, "acme"),
    ...ofAcme
  ),
  "a tenant is removed and made again": write(
    ({ tenants }, scope) =>
      Effect.andThen(tenants.remove(scope, "acme"), tenants.replace(scope, "acme", { name: "acme" })),
    ...ofAcme
  ),
  "a tenant's default is set": write(
    ({ tenants }, scope) => tenants.setPreference(scope, "acme", "a", inn),
    "tenant acme"
  ),
  "a tenant's default is removed": write(
    ({ tenants }, scope) => tenants.removePreference(scope, "acme", "a"),
    "tenant acme"
  ),
  "a membership is put": write(
    ({ memberships }, scope) => memberships.put(scope, ada, [{ tenantId: "acme", profile: { at: "home" } }]),
    "members of acme",
    "tenants of ada"
  ),
  "a membership is removed": write(
    ({ memberships }, scope) => memberships.remove(scope, ada, "acme"),
    "members of acme",
    "tenants of ada"
  ),
  "all memberships are removed": write(
    ({ memberships }, scope) => memberships.removeAll(scope, ada),
    "members of acme",
    "members of other",
    "tenants of ada"
  ),
  "what memberships tell of a removed user": write(
    ({ profiles }, scope) => profiles.remove(scope, ada),
    "members of acme",
    "members of other",
    "tenants of ada"
  ),
  "a tenant's template is put": write(
    ({ templates }, scope) => templates.put(scope, "acme", "nt", text, true),
    "template nt of acme"
  ),
  "a tenant's template is published": write(
    ({ templates }, scope) => templates.publish(scope, "acme", "nt", "latest"),
    "template nt of acme"
  ),
  "a tenant's template is removed": write(
    ({ templates }, scope) => templates.remove(scope, "acme", "nt"),
    "template nt of acme"
  )
}

const ofDevices: Writes = {
  "a token is registered again": write(
    ({ devices }, scope) => devices.register(scope, ada, [{ token: phone, write: { provider_key: "apn" } }]),
    "tokens of ada"
  ),
  "a token moves to another": write(
    ({ devices }, scope) => devices.register(scope, bob, [{ token: phone, write: { provider_key: "expo" } }]),
    "tokens of ada",
    "tokens of bob"
  ),
  "a token is patched": write(
    ({ devices }, scope) => devices.patch(scope, ada, phone, [{ op: "replace", path: "/status", value: "revoked" }]),
    "tokens of ada"
  ),
  "a token is called dead": write(
    ({ devices }, scope) => devices.invalidate(scope, "expo", phone, "gone"),
    "tokens of ada"
  ),
  "a token is removed": write(({ devices }, scope) => devices.remove(scope, ada, phone), "tokens of ada")
}

const ofPreferences: Writes = {
  "a preference is put": write(
    ({ preferences }, scope) =>
      preferences.put({ scope, userId: ada, tenantId: undefined }, [{ topicId: "a", setting: inn }]),
    "preferences of ada"
  ),
  "a preference is merged": write(
    ({ preferences }, scope) =>
      preferences.merge({ scope, userId: ada, tenantId: "acme" }, [{ topicId: "a", setting: inn }]),
    "preferences of ada in acme"
  ),
  "preferences are replaced": write(
    ({ preferences }, scope) => preferences.replace({ scope, userId: ada, tenantId: "acme" }, [], ["a"]),
    "preferences of ada in acme"
  ),
  "preferences outside of tenants are replaced": write(
    ({ preferences }, scope) => preferences.replace({ scope, userId: ada, tenantId: undefined }, [], ["a"]),
    "preferences of ada"
  ),
  "a preference is removed": write(
    ({ preferences }, scope) => preferences.remove({ scope, userId: ada, tenantId: undefined }, "a"),
    "preferences of ada"
  ),
  "a preference in a tenant is removed": write(
    ({ preferences }, scope) => preferences.remove({ scope, userId: ada, tenantId: "acme" }, "a"),
    "preferences of ada in acme"
  ),
  "legacy preferences are replaced": write(
    ({ legacy }, scope) => legacy.replace(scope, ada, said),
    "legacy preferences of ada"
  ),
  "legacy preferences are patched": write(
    ({ legacy }, scope) => legacy.patch(scope, ada, [{ op: "remove", path: "/notifications/n" }]),
    "legacy preferences of ada"
  )
}

const ofProfiles: Writes = {
  "a profile is replaced": write(
    ({ profiles }, scope) => profiles.replace(scope, ada, { title: "Doctor" }),
    "profile of ada",
    "members of audience eng",
    "members of audience doc"
  ),
  "a profile is merged": write(({ profiles }, scope) => profiles.merge(scope, ada, { age: 36 }), "profile of ada"),
  "a profile is patched": write(
    ({ profiles }, scope) => profiles.patch(scope, ada, [{ op: "replace", path: "/title", value: "Poet" }]),
    "profile of ada",
    "members of audience eng"
  ),
  "a profile is removed": write(
    ({ profiles }, scope) => profiles.remove(scope, ada),
    "profile of ada",
    "members of audience eng"
  ),
  "an audience is put": write(
    ({ audiences }, scope) => audiences.put(scope, "eng", audienceOf()),
    "audience eng",
    "members of audience eng"
  ),
  "an audience is removed": write(
    ({ audiences }, scope) => audiences.remove(scope, "eng"),
    "audience eng",
    "members of audience eng"
  )
}

const differing = (before: Record<string, unknown>, after: Record<string, unknown>): ReadonlyArray<string> =>
  Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

const all: ReadonlyArray<readonly [Part, Writes]> = [
  [parts.lists, ofLists],
  [parts.tenants, ofTenants],
  [parts.devices, ofDevices],
  [parts.preferences, ofPreferences],
  [parts.profiles, ofProfiles]
]

/**
 * What every store of people, lists and tenants promises: a write changes what it names, and nothing beside it, nor in
 * another environment, which has everything under the same ids.
 */
export const peopleApartContract = <E>(name: string, stores: Layer.Layer<Layer.Success<typeof Stores.layer>, E>) =>
  layer(stores)(`P10: people apart: ${name}`, (it) => {
    for (const [{ furnish, look }, writes] of all) {
      it.effect.each(Object.entries(writes))(
        "%s, and nothing beside it and nothing elsewhere",
        ([, { changes, run }]) =>
          Effect.gen(function*() {
            const [here, there] = [(yield* Fixture.world).scope, (yield* Fixture.world).scope]
            const kept = yield* services
            for (const scope of [here, there]) yield* furnish(kept, scope)
            const [before, elsewhere] = [yield* look(kept, here), yield* look(kept, there)]
            assert.deepStrictEqual(differing(before, elsewhere), [], "two that were furnished alike")
            yield* TestClock.adjust("1 second")
            yield* run(kept, here)
            assert.sameMembers([...differing(before, yield* look(kept, here))], [...changes])
            assert.deepStrictEqual(differing(elsewhere, yield* look(kept, there)), [], "nothing elsewhere")
          })
      )
    }
  })
