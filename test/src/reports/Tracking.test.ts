import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { Journal, MessageNotFound, type Observed } from "#src/delivery/Journal.ts"
import * as Tracking from "#src/reports/Tracking.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const id = MessageId.make("1-67890abc-0123456789abcdef01234567")
const scope = Scope.make(3)

/** What reached the journal, and the links; `key` is the installation's. */
const start = Effect.fnUntraced(function*(url: string | undefined, key = 7, failure?: MessageNotFound) {
  const seen: Array<Observed> = []
  const journal = Layer.mock(Journal, {
    observe: (observed) =>
      failure ?? Effect.sync(() => {
        seen.push(observed)
        return {
          before: "SENT" as const,
          after: "OPENED" as const,
          applied: true,
          inFlight: false,
          repeated: false,
          provider: undefined
        }
      })
  })
  const built = yield* Layer.build(
    Layer.merge(Tracking.layer, Tracking.layerLinks).pipe(
      Layer.provide([journal, secretKey(key), Layer.succeed(Tracking.PublicUrl, url)])
    )
  )
  return {
    seen,
    links: yield* Effect.provideContext(Tracking.OpenLinks, built),
    opened: (trackingId: string) =>
      Effect.provideContext(Tracking.Tracking.use((tracking) => tracking.opened(trackingId)), built)
  }
})

describe("Tracking", () => {
  it.effect("the link of a message opens that message, once, in its own scope", () =>
    Effect.gen(function*() {
      const { links, opened, seen } = yield* start("https://mail.example")
      const link = links?.(scope, id)
      assert.strictEqual(link?.opened, `https://mail.example/t/open/${link?.openTrackingId}`)
      yield* opened(link?.openTrackingId ?? "")
      const history = { type: "OPENED" as const, ts: 0 }
      const once: Array<Observed> = [{ scope, id, event: "Open", eventId: "tidings/open", history }]
      assert.deepStrictEqual(seen, once)
      yield* opened(link?.openTrackingId ?? "")
      assert.deepStrictEqual(seen, once, "a repeat asks the store for nothing")
      assert.strictEqual((yield* start(undefined)).links?.(scope, id).opened, "")
    }).pipe(Effect.scoped))

  it.effect("the links of mails that were sent are those of every later version, and open nothing that is gone", () =>
    Effect.gen(function*() {
      const { links, opened, seen } = yield* start(undefined)
      const sent = `${id}.3.xTHK2JK-jWujicw6C3HMzB`
      assert.strictEqual(links?.(scope, id).openTrackingId, sent)
      yield* opened(sent)
      assert.lengthOf(seen, 1)
      const gone = yield* start(undefined, 7, new MessageNotFound({ id }))
      yield* gone.opened(sent)
    }).pipe(Effect.scoped))

  it.effect.prop(
    "a forged, altered or foreign id opens nothing",
    { text: Schema.String, at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })) },
    ({ at, text }) =>
      Effect.gen(function*() {
        const { links, opened, seen } = yield* start(undefined)
        const other = (yield* start(undefined, 8)).links?.(scope, id).openTrackingId ?? ""
        const good = links?.(scope, id).openTrackingId ?? ""
        const altered = good.slice(0, at) + (good[at] === "0" ? "1" : "0") + good.slice(at + 1)
        for (const forged of [text, other, altered, good.replace(".3.", ".4."), `${good}.x`.slice(0, -3), ""]) {
          if (forged !== good) yield* opened(forged)
        }
        assert.deepStrictEqual(seen, [])
      }).pipe(Effect.scoped)
  )

  it.effect("a signature of other than ASCII characters is forged like any other", () =>
    Effect.gen(function*() {
      const { links, opened, seen } = yield* start(undefined)
      const good = links?.(scope, id).openTrackingId ?? ""
      for (const letter of ["\u00e9", "\u20ac", "\ud800"]) yield* opened(good.replace(/[^.]+$/, letter.repeat(22)))
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.scoped))
})
