import { blank, type Rendered } from "#schemas/Rendered.ts"
import { encodePlace, start } from "#src/delivery/Expansion.ts"
import * as Begin from "#src/delivery/expansion/Begin.ts"
import { type Advance, Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as FirstSteps from "#src/delivery/journal/FirstSteps.ts"
import type { OpenMessage } from "#src/delivery/journal/OpenMessage.ts"
import { RowRefused, type StepResult } from "#src/delivery/Journal.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

const rendered = (html: string): Rendered => ({ ...blank, html })

/** A page of so many members, each of whom comes to its intent as soon as it is begun; what the store was given of it. */
const begun = Effect.fnUntraced(function*(
  outputs: ReadonlyArray<Rendered>,
  { answer, left, refused }: {
    readonly answer?: ((advance: Advance) => ReturnType<Expansions["Service"]["advance"]>) | undefined
    /** Which of them cannot be begun, by their number. */
    readonly refused?: number
    /** Which of them leaves this node's hands before the page is written, by its number. */
    readonly left?: number
  } = {}
) {
  const place = yield* Fixture.world
  const firsts = yield* FirstSteps.FirstSteps
  const advances: Array<Advance> = []
  let behind = 0
  const given: Array<OpenMessage> = []
  const results: Array<StepResult | undefined> = []
  const steps = new Map(outputs.map((output) => {
    const message = Fixture.message(place, { lane: "bulk", size: 7 })
    return [message.id, { message, output }] as const
  }))
  const begin = (message: OpenMessage): boolean => {
    const one = steps.get(message.id)
    if (one === undefined || given.length === refused) return false
    given.push(message)
    const first = firsts.of(Fixture.step(one.message, 1, {
      attempt: Fixture.attempt(1, "intent"),
      lifecycle: ["Route"],
      conditional: true,
      events: [{ type: "RENDERED", ts: place.at, output: one.output }]
    }))
    if (given.length - 1 === left) firsts.over(message.id)
    else Effect.runFork(Effect.map(first ?? Effect.undefined, (result) => results.push(result)))
    return true
  }
  const { advance: _, ...unused } = yield* Expansions
  const page = Begin.make({
    firsts,
    expansions: {
      ...unused,
      advance: (advance) => {
        advances.push(advance)
        return answer?.(advance) ??
          Effect.succeed({ _tag: "Written", created: outputs.length, intents: new Map() })
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
  return { intents: advances.map(({ intents }) => intents?.length), behind, written, given, results, common }
})

const stores = Layer.merge(FirstSteps.layer, Layer.mock(Expansions, {}))

layer(stores)("A page that is begun before it is stored", (it) => {
  it.effect("I1: its messages are looked for where nobody knows whether it was stored", () =>
    Effect.gen(function*() {
      const { behind, written } = yield* begun([rendered("a")], {
        answer: () => Effect.fail(new StoreUnavailable({ cause: "silence" }))
      })
      assert.strictEqual(written._tag, "Failure")
      assert.strictEqual(behind, 1)
    }))

  it.effect("I1: its messages are looked for just where some are not in hand, or nothing was written", () =>
    Effect.gen(function*() {
      const pair = [rendered("a"), rendered("b")]
      assert.strictEqual((yield* begun(pair)).behind, 0)
      assert.strictEqual((yield* begun(pair, { refused: 1 })).behind, 1)
      assert.strictEqual((yield* begun(pair, { left: 1 })).behind, 1)
      const fenced = yield* begun(pair, { answer: () => Effect.succeed({ _tag: "Fenced" }) })
      assert.deepStrictEqual([fenced.behind, fenced.results], [1, [undefined, undefined]])
    }))

  it.effect("its messages are begun as they are stored, and hear what was stored of their first steps", () =>
    Effect.gen(function*() {
      const result: StepResult = { _tag: "Written", status: "ROUTED", provenAtNanos: 7n }
      const { common, given, results } = yield* begun([rendered("a"), rendered("b")], {
        answer: ({ intents = [] }) =>
          Effect.succeed({
            _tag: "Written",
            created: 2,
            intents: new Map(intents.slice(0, 1).map(({ message }) => [message.id, result]))
          })
      })
      assert.deepStrictEqual(results, [result, undefined])
      const [first = assert.fail("none was begun")] = given
      const stored: OpenMessage = { ...common, tries: 0, recovered: false, attempts: [], size: 2 * common.size }
      assert.deepInclude(stored, first)
    }))

  it.effect("if it is refused with its first steps, it is written without them, and if that is refused it is not written", () =>
    Effect.gen(function*() {
      const refusal = Effect.fail(new RowRefused({ cause: "no" }))
      const once = yield* begun([rendered("a")], {
        answer: ({ intents }) =>
          intents === undefined ? Effect.succeed({ _tag: "Written", created: 1, intents: new Map() }) : refusal
      })
      assert.deepStrictEqual([once.intents, once.written._tag], [[1, undefined], "Success"])
      const never = yield* begun([rendered("a")], { answer: () => refusal })
      assert.deepStrictEqual([never.intents, never.written._tag], [[1, undefined], "Failure"])
      const empty = yield* begun([], { answer: () => refusal })
      assert.deepStrictEqual([empty.intents, empty.written._tag], [[0], "Failure"])
    }))

  it.effect("intents that have rendered much are written by themselves behind it; what they have in common counts once", () =>
    Effect.gen(function*() {
      const own = yield* begun(
        Array.from({ length: 100 }, (_, n) => rendered(`${n} `.padEnd(200_000, "html")))
      )
      assert.deepStrictEqual(own.intents, [42])
      const common = rendered("html".repeat(50_000))
      const shared = yield* begun(Array.from({ length: 100 }, () => common))
      assert.deepStrictEqual(shared.intents, [100])
    }))
})
