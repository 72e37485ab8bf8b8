import { Journal, type NewMessage } from "#src/delivery/Journal.ts"
import * as Size from "#src/delivery/journal/Size.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

/** More than what two bodies of 6 MB can become, in which each number is four times as long once it is written out. */
const longest = { content: { title: "t", body: "b" }, data: { numbers: Array.from({ length: 1_200_000 }, () => 1e20) } }

/** What callers and authors make as large as they can, over one kind of database. */
export const largeRows = <E>(name: string, stores: Layer.Layer<Journal, E>) =>
  layer(stores, { timeout: "120 seconds", excludeTestServices: true })(`Large rows: ${name}`, (it) => {
    it.effect(
      "I1: the longest message that bodies can make is read, and its neighbours with it",
      () =>
        Effect.gen(function*() {
          const { accept, due } = yield* Journal
          const place = yield* Fixture.world
          const long = Fixture.message(place, { instructions: longest, size: Size.of(longest), recipientKey: "long" })
          // A caller whose send takes the store longer than it is waited for has a 503, and sends it again.
          yield* Effect.eventually(accept(Fixture.acceptance(place, [long])))
          const short = yield* Fixture.accepted(place)
          const { rows } = yield* due(Fixture.window(place, { bytes: 100_000_000 }))
          assert.deepStrictEqual(rows.map(({ id }) => id), [long.id, short.id])
        }),
      60_000
    )

    it.effect("I1: steps of a batch are written, however much all of them have rendered", () =>
      Effect.gen(function*() {
        const { accept, record, take } = yield* Journal
        const place = yield* Fixture.world
        const { epoch } = yield* take(place.shard, "node", place.at)
        const messages = Array.from({ length: 500 }, () => Fixture.message(place))
        yield* accept(Fixture.acceptance(place, messages))
        const results = yield* Effect.forEach(
          messages,
          (message: NewMessage, n) => {
            const output = {
              title: "",
              subject: "",
              body: "",
              text: "",
              html: `${n} `.padEnd(150_000, "html"),
              blocks: [],
              actions: []
            }
            return record(Fixture.step(message, epoch, {
              attempt: Fixture.attempt(1, "intent"),
              lifecycle: ["Route"],
              conditional: true,
              events: [{ type: "RENDERED", ts: place.at, output }]
            }))
          },
          { concurrency: "unbounded" }
        )
        assert.isTrue(results.every(({ _tag }) => _tag === "Written"))
      }), 60_000)
  })
