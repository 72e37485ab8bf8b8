import { MessageId } from "#schemas/MessageId.ts"
import { blank } from "#schemas/Rendered.ts"
import { Scope } from "#schemas/Scope.ts"
import * as Outgoing from "#src/delivery/attempts/Outgoing.ts"
import { Journal } from "#src/delivery/Journal.ts"
import type { Provider } from "#src/delivery/Provider.ts"
import * as Clicks from "#src/reports/Clicks.ts"
import * as Tracking from "#src/reports/Tracking.ts"
import { dom } from "#test/src/content/Dom.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const base = "https://mail.example"
const message = {
  id: MessageId.make("1-67890abc-0123456789abcdef01234567"),
  scope: Scope.make(3),
  instructions: {}
}
const campaign = { ...message, instructions: { metadata: { utm: { source: "a" } } } }
const vendor = (channel: string): Provider => ({
  _tag: "Vendor",
  key: "one",
  channel,
  reaches: () => true,
  send: () => Effect.die("sent")
})

const start = Effect.fnUntraced(function*(tracked: { readonly clicks: boolean; readonly opens: boolean }) {
  const built = yield* Layer.build(
    Layer.merge(Clicks.layerTracking, Clicks.layer).pipe(
      Layer.provideMerge(Tracking.layerLinks),
      Layer.provideMerge(Layer.succeed(Tracking.PublicUrl, base)),
      Layer.provide([secretKey(7), Layer.succeed(Clicks.Tracked, tracked), Layer.mock(Journal, {})])
    )
  )
  const outgoing = yield* Effect.provideContext(Outgoing.make, built)
  const { targetOf } = yield* Effect.provideContext(Clicks.Clicks, built)
  const out = (html: string, of: Parameters<Outgoing.Outgoing>[0] = message) =>
    outgoing(of, vendor("email"), { ...blank, html }).html
  return { out, outgoing, targetOf }
})

/** What authors write into addresses, and what browsers read otherwise than it is written. */
const parts = [
  "https://x.example/",
  "http://",
  "https:",
  "x.example",
  "/",
  "\\",
  "?",
  "#",
  "&",
  "&amp;",
  "a=1",
  "&copy",
  "&copy=2",
  "&notit;",
  "&#38",
  "&#38;",
  "&equals;",
  "&nbsp;",
  "&#0;",
  "&shy;",
  "&#xd800;",
  "%zz",
  "%20",
  " ",
  "\t",
  "@",
  ":",
  "ü",
  "İ",
  "..",
  ";",
  "`"
]

/** A reader's browser, from the page on which the mail is shown. */
const reached = (html: string, targetOf: (linkId: string) => string | undefined): ReadonlyArray<string> =>
  dom(html).elements.flatMap(({ attributes }) => {
    const href = attributes.get("href")
    if (href === undefined) return []
    if (!URL.canParse(href, "https://webmail.example/")) return ["nowhere"]
    const url = new URL(href, "https://webmail.example/").href
    const link = `${base}${Clicks.clickPath}/`
    return [url.startsWith(link) ? targetOf(url.slice(link.length)) ?? "forged" : url]
  })

const withoutCampaign = (url: string) =>
  url.replace(/([?&])utm_source=a(?:&|(?=#)|$)/, "").replaceAll(/[?&]+(?=#|$)/g, "")

describe("Outgoing", () => {
  it.effect.prop(
    "a reader gets to where their browser would have gone, whatever the author wrote",
    { href: Schema.Array(Schema.Literals(parts)), quote: Schema.Literals(["\"", "'"]) },
    ({ href, quote }) =>
      Effect.gen(function*() {
        const { out, targetOf } = yield* start({ clicks: true, opens: false })
        for (const written of [href, [...parts.slice(0, 1), ...href]]) {
          const html = `<a href=${quote}${written.join("")}${quote}>A</a>`
          const before = reached(html, targetOf)
          assert.deepStrictEqual(reached(out(html), targetOf), before)
          assert.deepStrictEqual(
            reached(out(html, campaign), targetOf).map(withoutCampaign),
            before.map(withoutCampaign)
          )
        }
      }).pipe(Effect.scoped)
  )

  it.effect("a mail that is given again has the same links, and what is stored and shared stays as it was", () =>
    Effect.gen(function*() {
      const { outgoing } = yield* start({ clicks: true, opens: true })
      const rendered = Object.freeze({ ...blank, html: "<a href=\"https://x.example/\">A</a>" })
      const [one, other] = [1, 2].map(() => outgoing(campaign, vendor("email"), rendered))
      assert.deepStrictEqual(one, other)
      assert.notStrictEqual(one?.html, rendered.html)
    }).pipe(Effect.scoped))

  it.effect("what is no mail, or has no HTML, and what nobody tracks is the same object", () =>
    Effect.gen(function*() {
      const { outgoing } = yield* start({ clicks: true, opens: true })
      const page = { ...blank, html: "<a href=\"https://x.example/\">A</a>" }
      assert.strictEqual(outgoing(campaign, vendor("sms"), page), page)
      assert.strictEqual(outgoing(campaign, vendor("email"), blank), blank)
      const { outgoing: nothing } = yield* start({ clicks: false, opens: false })
      assert.strictEqual(nothing(message, vendor("email"), page), page)
    }).pipe(Effect.scoped))

  it.effect("links of our own have neither a redirect nor a campaign", () =>
    Effect.gen(function*() {
      const { out } = yield* start({ clicks: true, opens: false })
      const html = `<a href="${base}/t/unsubscribe/x">A</a>`
      assert.strictEqual(out(html, campaign), html)
    }).pipe(Effect.scoped))
})
