import { ListId } from "#schemas/List.ts"
import { UserId } from "#schemas/Profile.ts"
import { Lists } from "#src/people/Lists.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as FreshDatabase from "#test/layers/postgres/FreshDatabase.ts"
import * as Stores from "#test/layers/postgres/Stores.ts"
import { assert, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"

const [one, other] = [ListId.make("one"), ListId.make("other")]
const [ada, bob] = [UserId.make("ada"), UserId.make("bob")]
const plain = (userId: UserId) => ({ userId, preferences: undefined })
const joined = (listId: ListId) => ({ listId, preferences: undefined })

const rounds = 25

layer(Stores.layer.pipe(Layer.provide(FreshDatabase.layerEmpty)), { excludeTestServices: true })(
  "Lists on Postgres",
  (it) => {
    it.effect(
      "writers of the same lists, deleted ones too, never wait for each other in a circle",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const lists = yield* Lists
          const found = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
            Effect.match(effect, { onSuccess: () => "done", onFailure: ({ _tag }) => _tag })
          for (let round = 0; round < rounds; round++) {
            for (const id of [one, other]) {
              yield* lists.put(scope, id, { name: id, preferences: undefined })
              yield* lists.remove(scope, id)
            }
            const writers = [
              lists.replaceSubscriptions(scope, one, [ada, bob].map(plain)),
              lists.putSubscription(scope, one, plain(ada)),
              lists.subscribe(scope, one, [bob, ada].map(plain)),
              lists.join(scope, ada, [one, other].map(joined)),
              lists.join(scope, bob, [other, one].map(joined)),
              lists.replaceSubscriptions(scope, other, [bob, ada].map(plain)),
              lists.leave(scope, ada),
              lists.restore(scope, one),
              lists.put(scope, other, { name: "again", preferences: undefined })
            ]
            const ends = yield* Effect.forEach(writers, (writer) => found(writer), { concurrency: "unbounded" })
            assert.deepStrictEqual([...new Set(ends)], ["done"], `round ${round}: ${ends.join(" ")}`)
          }
        }),
      60_000
    )

    it.effect(
      "nor do those who subscribe and replace thousands at once, in whatever order they are given",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const lists = yield* Lists
          const everybody = Array.makeBy(3_000, (n) => plain(UserId.make(`u${n}`)))
          const [even, odd] = [0, 1].map((rest) => everybody.filter((_, n) => n % 2 === rest))
          for (let round = 0; round < 4; round++) {
            yield* lists.replaceSubscriptions(scope, one, even ?? [])
            const ends = yield* Effect.forEach(
              [
                lists.replaceSubscriptions(scope, one, odd ?? []),
                lists.subscribe(scope, one, everybody),
                lists.subscribe(scope, one, everybody.toReversed()),
                lists.replaceSubscriptions(scope, one, everybody.toReversed())
              ],
              Effect.exit,
              { concurrency: "unbounded" }
            )
            assert.deepStrictEqual(ends.map(({ _tag }) => _tag), ends.map(() => "Success"), `round ${round}`)
          }
        }),
      60_000
    )

    it.effect(
      "nor do those who have one user join thousands of lists at once, of which they make some and share others",
      () =>
        Effect.gen(function*() {
          const { scope } = yield* Fixture.world
          const lists = yield* Lists
          for (let round = 0; round < 8; round++) {
            const all = Array.makeBy(2_500, (n) => ListId.make(`r${round}-${10_000 + n}`)).map(joined)
            const ends = [...all.slice(0, 5), ...all.slice(-900)]
            yield* lists.join(scope, bob, all.slice(0, 5))
            const exits = yield* Effect.forEach(
              [all, ends, ends.toReversed()],
              (memberships) => Effect.exit(lists.join(scope, ada, memberships)),
              { concurrency: "unbounded" }
            )
            assert.deepStrictEqual(exits.map(({ _tag }) => _tag), exits.map(() => "Success"), `round ${round}`)
          }
        }),
      60_000
    )
  }
)
