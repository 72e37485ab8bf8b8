import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import type { Journal } from "#src/delivery/Journal.ts"
import { Handover } from "#src/delivery/journal/Handover.ts"
import { accepted, open, step } from "#test/contracts/ExpansionFixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Requests to many that were set aside and go on, over any Postgres. */
export const resumed = <E>(
  name: string,
  stores: Layer.Layer<Expansions | Handover | Journal | SqlClient.SqlClient, E>
) =>
  layer(stores)(`Resumed requests: ${name}`, (it) => {
    it.effect("the engine of the process hears of one as soon as that is committed, and not before", () =>
      Effect.gen(function*() {
        const given = yield* accepted()
        const expansions = yield* Expansions
        const handover = yield* Handover
        const sql = yield* SqlClient.SqlClient
        const seen: Array<number> = []
        const { to } = step(given)
        const aside = { from: to, to, page: undefined, tries: 5, epoch: 0, dueAt: null, error: "Quarantined" }
        yield* expansions.advance(step(given))
        yield* expansions.advance(step(given, { ...aside, state: "FAILED" }))
        yield* handover.connect({
          owns: () => true,
          room: Effect.void,
          offer: () => Effect.void,
          stir: Effect.orDie(open(given)).pipe(
            Effect.map(({ rows }) => void seen.push(rows.length)),
            Effect.provideService(Expansions, expansions)
          ),
          behind: () => Effect.void
        })
        yield* sql.withTransaction(
          Effect.andThen(
            expansions.resume(given.place.scope, given.expansion.id),
            Effect.sync(() => assert.deepStrictEqual(seen, []))
          )
        )
        assert.deepStrictEqual(seen, [1])
      }))
  })
