import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { Journal, MessageNotFound, type Observed } from "#src/delivery/Journal.ts"
import * as Clicks from "#src/reports/Clicks.ts"
import * as Tracking from "#src/reports/Tracking.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const id = MessageId.make("1-67890abc-0123456789abcdef01234567")
const scope = Scope.make(3)
const base = "https://mail.example"
const page = "https://shop.example/a?b=c&d=%20#e"

const both = { clicks: true, opens: true }

/** What reached the journal, and what mails are given; `key` is the installation's. */
const start = Effect.fnUntraced(function*(
  { failure, isPublic = true, key = 7, tracked = both }: {
    readonly failure?: MessageNotFound
    readonly isPublic?: boolean
    readonly key?: number
    readonly tracked?: typeof both
  } = {}
) {
  const seen: Array<Observed> = []
  const journal = Layer.mock(Journal, {
    observe: (observed) =>
      failure ?? Effect.sync(() => {
        seen.push(observed)
        return {
          before: "SENT" as const,
          after: "CLICKED" as const,
          applied: true,
          inFlight: false,
          repeated: false,
          provider: undefined
        }
      })
  })
  const built = yield* Layer.build(
    Layer.merge(Clicks.layer, Clicks.layerTracking).pipe(
      Layer.provideMerge(Tracking.layerLinks),
      Layer.provide([
        journal,
        secretKey(key),
        Layer.succeed(Tracking.PublicUrl, isPublic ? base : undefined),
        Layer.succeed(Clicks.Tracked, tracked)
      ])
    )
  )
  const tracking = yield* Effect.provideContext(Clicks.MailTracking, built)
  const clicks = yield* Effect.provideContext(Clicks.Clicks, built)
  const linked = (href: string) => tracking?.(scope, id).click?.(href)
  return { clicks, linked, picture: tracking?.(scope, id).picture, seen }
})

const idOf = (link: string | undefined): string => link?.slice(`${base}/t/click/`.length) ?? ""

describe("Clicks", () => {
  it.effect("a link leads where it did, and its message is clicked, once", () =>
    Effect.gen(function*() {
      const { clicks, linked, seen } = yield* start()
      const link = linked(page)
      assert.isTrue(link?.startsWith(`${base}/t/click/${id}.3.`))
      assert.strictEqual(clicks.targetOf(idOf(link)), page)
      yield* clicks.clicked(idOf(link))
      const history = { type: "CLICKED" as const, ts: 0, channel: "email" }
      const once: Array<Observed> = [{ scope, id, event: "Click", eventId: "tidings/click", history }]
      assert.deepStrictEqual(seen, once)
      yield* clicks.clicked(idOf(linked("https://shop.example/other")))
      assert.deepStrictEqual(seen, once, "another link of the message asks the store for nothing")
      const gone = yield* start({ failure: new MessageNotFound({ id }) })
      yield* gone.clicks.clicked(idOf(link))
    }).pipe(Effect.scoped))

  it.effect("the links of mails that were sent are those of every later version", () =>
    Effect.gen(function*() {
      const { clicks, linked } = yield* start()
      const sent = `${id}.3.aHR0cHM6Ly94LmV4YW1wbGUv.XyP9vN2u-lbyDCIAzCeyLs`
      assert.strictEqual(idOf(linked("https://x.example/")), sent)
      assert.strictEqual(clicks.targetOf(sent), "https://x.example/")
    }).pipe(Effect.scoped))

  it.effect("only pages of the web are tracked, and none of our own, whose links have their own ends", () =>
    Effect.gen(function*() {
      const { linked } = yield* start()
      const others = [
        "mailto:ada@example.com",
        "javascript:alert(1)",
        "/relative",
        "https:relative",
        "https:/relative",
        "#top",
        "app://orders/1",
        "",
        `${base}/t/unsubscribe/x`,
        `https://shop.example/${"a".repeat(1_600)}`
      ]
      for (const href of others) assert.isUndefined(linked(href), href)
      assert.isDefined(linked(`${base}/orders`))
      assert.isDefined(linked("http://müller.example/ä b"))
    }).pipe(Effect.scoped))

  it.effect("where a link leads can stand in a header, whatever its author wrote", () =>
    Effect.gen(function*() {
      const { clicks, linked } = yield* start()
      for (
        const href of ["https://a.example/\r\nSet-Cookie: a=b", "https://ä.example/ü\u2028", "http://a.example/\ud800"]
      )
        assert.match(clicks.targetOf(idOf(linked(href))) ?? "", /^https?:\/\/[\u0021-\u007e]+$/)
    }).pipe(Effect.scoped))

  it.effect.prop(
    "a forged, altered or foreign link leads nowhere and clicks nothing",
    { text: Schema.String, at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 110 })) },
    ({ at, text }) =>
      Effect.gen(function*() {
        const { clicks, linked, seen } = yield* start()
        const good = idOf(linked(page))
        const foreign = idOf((yield* start({ key: 8 })).linked(page))
        const altered = good.slice(0, at) + (good[at] === "A" ? "B" : "A") + good.slice(at + 1)
        for (const bad of [foreign, altered, text, `${id}.3.${text}.${text}`, good.replace(".3.", ".4.")]) {
          assert.isUndefined(clicks.targetOf(bad))
          yield* clicks.clicked(bad)
        }
        assert.deepStrictEqual(seen, [])
      }).pipe(Effect.scoped)
  )

  it.effect("nothing is tracked that was not asked for, and nothing without a public URL", () =>
    Effect.gen(function*() {
      const { linked, picture } = yield* start()
      assert.isDefined(linked(page))
      assert.isTrue(picture?.startsWith(`${base}/t/open/${id}.3.`))
      const clicks = yield* start({ tracked: { clicks: true, opens: false } })
      assert.deepStrictEqual([clicks.linked(page) === undefined, clicks.picture], [false, undefined])
      const opens = yield* start({ tracked: { clicks: false, opens: true } })
      assert.deepStrictEqual([opens.linked(page), opens.picture], [undefined, picture])
      for (
        const none of [yield* start({ tracked: { clicks: false, opens: false } }), yield* start({ isPublic: false })]
      )
        assert.deepStrictEqual([none.linked(page), none.picture], [undefined, undefined])
    }).pipe(Effect.scoped))
})
