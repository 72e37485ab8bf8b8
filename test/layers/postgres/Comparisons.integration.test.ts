import * as Migrations from "#layers/postgres/Migrations.ts"
import { UserId } from "#schemas/Profile.ts"
import { Scope } from "#schemas/Scope.ts"
import { Audiences } from "#src/people/Audiences.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const scope = Scope.make(1)

const audience = (operator: "EQ" | "GTE") => ({
  name: "n",
  description: "",
  filter: { filters: [{ operator, path: "age", value: "18" }] },
  operator: undefined
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layerEmpty)))(
  "Audiences of before a number and another text had no order",
  (it) => {
    it.effect("are counted anew, and no others", () =>
      Effect.gen(function*() {
        const [audiences, profiles, sql] = [yield* Audiences, yield* Profiles, yield* SqlClient.SqlClient]
        const settled = Effect.repeat((yield* AudienceSteps).advance, { while: (more) => more })
        yield* profiles.replace(scope, UserId.make("ada"), { age: "unknown" })
        yield* profiles.replace(scope, UserId.make("bob"), { age: 30 })
        yield* audiences.put(scope, "adults", audience("GTE"))
        yield* audiences.put(scope, "just 18", audience("EQ"))
        yield* settled
        yield* sql`insert into audience_members values (${scope}, 'adults', 'ada', 1, 0, '')`
        yield* sql`drop index expansions_by_state, expansions_long`
        yield* sql`drop table suppressions, send_limits, send_counts, webhooks, webhook_events`
        yield* sql`alter table messages drop column counted`
        yield* sql`alter table messages alter column instructions set not null`
        yield* sql`alter table inbox drop column read_at, drop column opened_at, drop column archived_at`
        yield* sql`delete from migrations where migration_id >= 35`
        yield* Effect.provide(Effect.void, Layer.fresh(Migrations.layer))
        yield* settled
        const { items } = yield* audiences.members(scope, "adults", { limit: 10, cursor: undefined })
        assert.deepStrictEqual(items.map(({ userId }) => userId), ["bob"])
        const versions = yield* Effect.forEach(["adults", "just 18"], (id) => audiences.get(scope, id))
        assert.deepStrictEqual(versions.map(({ version }) => version), [2, 1])
      }))
  }
)
