import type { Instructions } from "#schemas/SendMessage.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import * as Rendering from "#src/content/Rendering.ts"
import { Layouts } from "#src/content/Layouts.ts"
import { Mjml } from "#src/content/Mjml.ts"
import { Translations } from "#src/content/Translations.ts"
import type { KeyState } from "#schemas/Scope.ts"
import type { SentTopic } from "#src/delivery/pipeline/Preferences.ts"
import * as Render from "#src/delivery/pipeline/Render.ts"
import { PreferenceLinks } from "#src/people/PreferenceLinks.ts"
import * as Tenancies from "#src/people/Tenancies.ts"
import { OpenLinks } from "#src/reports/Tracking.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const services = Layer.mergeAll(
  Rendering.layer.pipe(
    Layer.provide([Layer.mock(Layouts, {}), Layer.mock(Mjml, {}), Layer.mock(Translations, {})])
  ),
  Layer.succeed(OpenLinks, (scope, id) => ({ openTrackingId: `open ${scope} ${id}`, opened: "" })),
  Layer.succeed(PreferenceLinks, ({ scope, tenantId, userId }, topic) => {
    const whose = `${scope}/${userId}/${tenantId ?? "-"}/${topic ?? "-"}`
    return {
      unsubscribeTrackingId: whose,
      unsubscribe: `https://x.io/u/${whose}`,
      preferences: `https://x.io/p/${whose}`
    }
  })
)

const title = "{{courier.scope}} {{openTrackingId}} {{unsubscribeTrackingId}}"

/** What a message to this recipient says in this channel; each in a scope of its own. */
const rendered = Effect.fnUntraced(function*(more: {
  readonly recipient?: Recipient
  readonly channel?: string
  readonly topic?: SentTopic
  readonly keyState?: KeyState
  readonly content?: NonNullable<Instructions["content"]>
  readonly metadata?: Instructions["metadata"]
  readonly providers?: ReadonlyArray<Vendor>
}) {
  const { channel = "email", keyState = "published", metadata, recipient = { user_id: "ada" }, topic } = more
  const place = yield* Fixture.world
  const instructions = { template: "welcome", ...(metadata === undefined ? {} : { metadata }) }
  const message = { ...Fixture.message(place, { keyState, instructions }), recipient }
  const content = more.content ?? { title, body: "" }
  const { render } = yield* Render.make
  const found = yield* render({
    message,
    content,
    template: undefined,
    isOneTimePassword: false,
    tenancy: Tenancies.none,
    profile: {},
    legacy: undefined,
    data: {},
    providers: more.providers ?? [],
    brandOf: () => undefined,
    unknownBrand: undefined,
    topic
  }, place.at)({ _tag: "Candidate", channel, provider: channel, timeout: undefined })
  return { ...found, of: { scope: place.scope, id: message.id } }
}, Effect.provide(services))

const news = { id: "news", isInHeader: true }

describe("Render: what a message says of itself", () => {
  it.effect("P10: its links are of its environment, its user, the tenant that it is sent in, and its topic", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [Recipient, SentTopic | undefined, string]> = [
        [{ user_id: "ada" }, undefined, "ada/-/-"],
        [{ user_id: "ada" }, news, "ada/-/news"],
        [{ user_id: "bob", tenant_id: "acme" }, news, "bob/acme/news"],
        [{ user_id: "bob", tenant_id: "acme" }, undefined, "bob/acme/-"]
      ]
      for (const [recipient, topic, whose] of cases) {
        const { of: { id, scope }, subject } = yield* rendered({ recipient, ...(topic === undefined ? {} : { topic }) })
        assert.strictEqual(subject, `published open ${scope} ${id} ${scope}/${whose}`)
      }
      const { of: { id, scope }, subject } = yield* rendered({ recipient: { email: "ada@example.com" }, topic: news })
      assert.strictEqual(subject.trim(), `published open ${scope} ${id}`, "nobody's are no links")
    }))

  it.effect("the header of a mail offers to leave its topic just where the topic says so", () =>
    Effect.gen(function*() {
      const headerOf = (more: Parameters<typeof rendered>[0]) =>
        Effect.map(rendered(more), ({ of: { scope }, unsubscribe }) => unsubscribe?.replace(`/${scope}/`, "/"))
      assert.strictEqual(yield* headerOf({ topic: news }), "https://x.io/u/ada/-/news")
      assert.isUndefined(yield* headerOf({ topic: { ...news, isInHeader: false } }))
      assert.isUndefined(yield* headerOf({}))
      assert.isUndefined(yield* headerOf({ topic: news, channel: "sms" }))
      assert.isUndefined(yield* headerOf({ topic: news, recipient: { email: "ada@example.com" } }))
    }))

  it.effect("an element may be for a provider by any of its names, in its own channel", () =>
    Effect.gen(function*() {
      const vendor = (channel: string, key: string, ...names: ReadonlyArray<string>) => ({
        ...Fake.nothing(key, channel),
        names
      })
      const elements = ["aws-ses", "other", "sns"].map((name) => ({
        type: "text" as const,
        channels: [name],
        content: `by ${name}`
      }))
      const { text } = yield* rendered({
        content: { version: "2022-01-01", elements },
        providers: [
          vendor("email", "other", "other"),
          vendor("sms", "email", "sns"),
          vendor("email", "email", "aws-ses")
        ]
      })
      assert.strictEqual(text.trim(), "by aws-ses")
    }))

  it.effect("`event` is the message's own event, else the template that it was sent with", () =>
    Effect.gen(function*() {
      const content = { title: "{{event}}", body: "" }
      assert.strictEqual((yield* rendered({ content })).subject, "welcome")
      assert.strictEqual((yield* rendered({ content, metadata: { event: "signed up" } })).subject, "signed up")
    }))

  it.effect("`courier.scope` is what the key may see: drafts, or what is published", () =>
    Effect.gen(function*() {
      for (const keyState of ["draft", "published"] as const) {
        assert.match((yield* rendered({ keyState })).subject, new RegExp(`^${keyState} `))
      }
    }))
})
