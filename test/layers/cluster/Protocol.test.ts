import { decode, encode } from "#layers/cluster/Protocol.ts"
import * as Arbitraries from "#layers/testing/Arbitraries.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"

const sends = Arbitrary.array(Arbitraries.sends, { minLength: 1, maxLength: 4 })

describe("What a server hands to its worker", () => {
  it.effect.prop(
    "arrives as it was, and what shared its instructions does so still",
    { sends },
    ({ sends }) =>
      Effect.gen(function*() {
        const place = yield* Fixture.world
        const messages = sends.flatMap(({ to, ...instructions }) =>
          (Array.isArray(to) ? to : [to]).map((recipient) => Fixture.message(place, { recipient, instructions }))
        )
        const arrived = decode(encode(messages))
        assert.deepStrictEqual(arrived, JSON.parse(JSON.stringify(messages)))
        const groups = (all: typeof arrived) =>
          all.map(({ instructions }, n) => all.findIndex((other, m) => m <= n && other.instructions === instructions))
        assert.deepStrictEqual(groups(arrived), groups(messages))
      })
  )
})
