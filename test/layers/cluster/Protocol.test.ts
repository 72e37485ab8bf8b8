import { decode, encode } from "#layers/cluster/Protocol.ts"
import * as Arbitraries from "#layers/testing/Arbitraries.ts"
import { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import type { NewMessage } from "#src/delivery/Journal.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"

/** What the engine uses of a message. */
const ofEngine = (message: NewMessage) =>
  Object.fromEntries(Object.entries(message).filter(([name]) => name in OpenMessage.fields))

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
        assert.deepStrictEqual(arrived, JSON.parse(JSON.stringify(messages.map(ofEngine))))
        const groups = (all: typeof arrived) =>
          all.map(({ instructions }, n) => all.findIndex((other, m) => m <= n && other.instructions === instructions))
        assert.deepStrictEqual(groups(arrived), groups(messages))
      })
  )
})
