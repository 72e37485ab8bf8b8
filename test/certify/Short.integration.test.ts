import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Scenario } from "./Scenario.ts"
import * as Database from "./scenarios/Database.ts"
import { points } from "./scenarios/Points.ts"
import { table } from "./Verdict.ts"

/** The certificate's short form: what the crash suites do not do already. `npm run certify` is the whole. */
const scenarios: Readonly<Record<string, Scenario>> = { points, restarts: Database.restarts }

describe.skipIf(PrivatePostgres.programs() === undefined)("certificate, short form", () => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    it.live(`P1, P4: ${name}`, () =>
      Effect.gen(function*() {
        const postgres = yield* Effect.acquireRelease(
          Effect.promise(() => PrivatePostgres.make()),
          (made) => Effect.promise(() => made.remove())
        )
        const verdict = yield* Effect.promise(() =>
          scenario({ name, storage: "Postgres", runtime: "node", postgres, seconds: 3, perSecond: 40 })
        )
        console.log(table([verdict]))
        assert.isTrue("breaches" in verdict)
        assert.deepStrictEqual("breaches" in verdict ? verdict.breaches.slice(0, 10) : [], [])
      }), 300_000)
  }
})
