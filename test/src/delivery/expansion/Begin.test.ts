import type { Rendered } from "#schemas/Rendered.ts"
import { encodePlace, start } from "#src/delivery/Expansion.ts"
import * as Begin from "#src/delivery/expansion/Begin.ts"
import { type Advance, Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

const rendered = (html: string): Rendered => ({
  title: "",
  subject: "",
  body: "",
  text: "",
  html,
  blocks: [],
  actions: []
})

/** A page of so many members, each of whom comes to its intent as soon as it is begun; what the store was given of it. */
const begun = Effect.fnUntraced(function*(
  outputs: ReadonlyArray<Rendered>,
  answer: Effect.Effect<never, StoreUnavailable> | undefined
) {
  const place = yield* Fixture.world
  const firsts = yield* FirstSteps.FirstSteps
  const advances: Array<Advance> = []
  let behind = 0
  const steps = new Map(outputs.map((output) => {
    const message = Fixture.message(place, { lane: "bulk" })
    return [message.id, { message, output }] as const
  }))
  const begin = ({ id }: OpenMessage): boolean => {
    const one = steps.get(id)
    if (one === undefined) return false
    const first = firsts.of(Fixture.step(one.message, 1, {
      attempt: Fixture.attempt(1, "intent"),
      lifecycle: ["Route"],
      conditional: true,
      events: [{ type: "RENDERED", ts: place.at, output: one.output }]
    }))
    Effect.runFork(first ?? Effect.undefined)
    return true
  }
  const { advance: _, ...unused } = yield* Expansions
  const page = Begin.make({
    firsts,
    expansions: {
      ...unused,
      advance: (advance) => {
        advances.push(advance)
        return answer ?? Effect.succeed({ _tag: "Written", created: outputs.length, intents: new Map() })
      }
    },
    reader: { begin, behind: () => void behind++ }
  })
  const [first] = steps.values()
  const common = first?.message ?? Fixture.message(place)
  const written = yield* Effect.exit(Effect.flatten(page({
    expansion: { id: common.id, scope: place.scope, shard: place.shard },
    owner: 1,
    at: place.at,
    from: encodePlace(start),
    to: encodePlace({ index: 1 }),
    tries: 0,
    epoch: 1,
    state: "COMPLETED",
    dueAt: null,
    page: { common, members: [...steps.values()].map(({ message }) => message), profiles: [] }
  }))).pipe(Effect.scoped)
  return { intents: advances.map(({ intents }) => intents?.length), behind, written }
})

const stores = Layer.merge(FirstSteps.layer, Layer.mock(Expansions, {}))

layer(stores)("A page that is begun before it is stored", (it) => {
  it.effect("I1: its messages are looked for where nobody knows whether it was stored", () =>
    Effect.gen(function*() {
      const { behind, written } = yield* begun([rendered("a")], new StoreUnavailable({ cause: "silence" }))
      assert.strictEqual(written._tag, "Failure")
      assert.strictEqual(behind, 1)
    }))

  it.effect("intents that have rendered much are written by themselves behind it; what they have in common counts once", () =>
    Effect.gen(function*() {
      const own = yield* begun(
        Array.from({ length: 100 }, (_, n) => rendered(`${n} `.padEnd(200_000, "html"))),
        undefined
      )
      assert.deepStrictEqual(own.intents, [42])
      const common = rendered("html".repeat(50_000))
      const shared = yield* begun(Array.from({ length: 100 }, () => common), undefined)
      assert.deepStrictEqual(shared.intents, [100])
    }))
})
