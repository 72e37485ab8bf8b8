import * as Places from "#test/support/Places.ts"
import * as PrivatePostgres from "#test/support/PrivatePostgres.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Ownership from "./scenarios/Ownership.ts"
import { table } from "./Verdict.ts"

/** CERTIFY_FREEZE=25000 CERTIFY_ROUNDS=3 is the full size: three lock expiries. */
const freeze = Number(process.env["CERTIFY_FREEZE"] ?? "9000")
const rounds = Number(process.env["CERTIFY_ROUNDS"] ?? "1")

describe.skipIf(PrivatePostgres.programs() === undefined)("ownership", () => {
  it.live(
    "P1–P4: three nodes under load, killed, frozen, restarted, and their Postgres crashed",
    () =>
      Effect.gen(function*() {
        const postgres = yield* Effect.acquireRelease(
          Effect.promise(() => PrivatePostgres.make()),
          (made) => Effect.promise(() => made.remove())
        )
        const place = yield* Places.make("Postgres", { server: postgres.url })
        const verdict = yield* Effect.promise(() =>
          Ownership.run("ownership", place, postgres, { perSecond: 40, freeze, rounds })
        )
        console.log(table([verdict]))
        assert.deepStrictEqual(verdict.breaches.slice(0, 10), [])
        assert.strictEqual(verdict.lost, 0)
      }),
    600_000
  )
})
