import { mostTokens } from "#schemas/DeviceToken.ts"
import { UserId } from "#schemas/Profile.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as LockWaits from "#test/layers/postgres/LockWaits.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"

const [ada, bob] = [UserId.make("ada"), UserId.make("bob")] as const

const started = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceTokens
  const registered = (userId: UserId, tokens: string) =>
    devices.register(scope, userId, Array.from(tokens, (token) => ({ token, write: { provider_key: "apn" } })))
  const rows = LockWaits.held(sql, "device_tokens")
  /** Has a token locked (`LockWaits.held`). */
  const held = <E>(token: string, last?: Effect.Effect<unknown, E>) =>
    rows(sql`scope = ${scope} and token = ${token}`, last)
  return { scope, sql, devices, profiles: yield* Profiles, registered, held, waiting: LockWaits.until(sql) }
})

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.layer)), { excludeTestServices: true })(
  "The order of locks on device tokens on Postgres",
  (it) => {
    it.effect("who is deleted waits for who registers his devices' tokens as another user's, and not that for him", () =>
      Effect.gen(function*() {
        const { devices, held, profiles, registered, scope, sql, waiting } = yield* started
        yield* registered(ada, "az")
        // By their index they are met in this order, and registered in the other.
        yield* sql`update device_tokens set created_at = 0 where scope = ${scope} and token = 'z'`
        const other = yield* held("a", registered(bob, "az"))
        const removed = yield* Effect.forkChild(profiles.remove(scope, ada))
        yield* waiting(1)
        yield* other
        yield* Fiber.join(removed)
        assert.lengthOf(yield* devices.list(scope, bob), 2)
      }))

    it.effect("of many registered at once no more stay than there may be", () =>
      Effect.gen(function*() {
        const { devices, registered, scope } = yield* started
        const many = Array.from(
          { length: mostTokens },
          (_, n) => ({ token: `t${n}`, write: { provider_key: "apn" } as const })
        )
        yield* devices.register(scope, ada, many)
        yield* Effect.forEach("abcdefghijklmnopqrst", (token) => registered(ada, token), { concurrency: "unbounded" })
        const tokens = (yield* devices.list(scope, ada)).map(({ token }) => token)
        assert.lengthOf(tokens, mostTokens)
        assert.includeMembers(tokens, Array.from("abcdefghijklmnopqrst"))
      }))

    it.effect("who is deleted and who registers tokens of his, known and new, never wait for each other in a circle", () =>
      Effect.gen(function*() {
        const { devices, held, profiles, registered, scope, waiting } = yield* started
        yield* registered(ada, "b")
        const other = yield* held("b")
        const removed = yield* Effect.forkChild(profiles.remove(scope, ada))
        yield* waiting(1)
        yield* registered(ada, "a")
        const again = yield* Effect.forkChild(registered(ada, "ab"))
        yield* waiting(2)
        yield* other
        yield* Fiber.join(removed)
        yield* Fiber.join(again)
        assert.deepStrictEqual((yield* devices.list(scope, ada)).map(({ token }) => token), ["a", "b"])
      }))
  }
)
