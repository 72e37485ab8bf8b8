import { most, type WebhookDraft, Webhooks } from "#src/reports/Webhooks.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"

const draft = (more: Partial<WebhookDraft> = {}): WebhookDraft => ({
  url: "https://example.com/hooks",
  types: undefined,
  description: undefined,
  state: "ENABLED",
  ...more
})

const secret = Redacted.make("0123456789abcdef")

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const webhooks = yield* Webhooks
  const make = (more?: Partial<WebhookDraft>) => webhooks.create(scope, draft(more), secret)
  const all = Effect.map(webhooks.list(scope, { limit: 100, cursor: undefined }), ({ items }) => items)
  return { at: yield* Clock.currentTimeMillis, all, make, scope, webhooks }
})

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** What every store promises of webhooks, but for what they are told (`Outbox`). */
export const webhooksContract = <E>(name: string, stores: Layer.Layer<Webhooks, E>) =>
  layer(stores)(`Webhooks: ${name}`, (it) => {
    it.effect("are kept as they were given, and replaced whole", () =>
      Effect.gen(function*() {
        const { all, at, make, scope, webhooks } = yield* start
        const types = ["message:updated", "audiences:user:matched"] as const
        const made = yield* make({ types, description: "é\"' \u{1f984}", state: "DISABLED" })
        assert.match(made.id, /^wh_[0-9a-hjkmnp-tv-z]{26}$/)
        assert.deepStrictEqual(made, {
          ...draft({ types, description: "é\"' \u{1f984}", state: "DISABLED" }),
          id: made.id,
          failing: undefined,
          gaveUpAt: undefined,
          lost: 0,
          reachedAt: undefined,
          created: at,
          updated: undefined
        })
        assert.deepStrictEqual(yield* webhooks.get(scope, made.id), made)
        yield* TestClock.adjust(5)
        const replaced = yield* webhooks.replace(scope, made.id, draft({ url: "http://10.0.0.1/" }))
        assert.deepStrictEqual(replaced, {
          ...made,
          ...draft({ url: "http://10.0.0.1/" }),
          updated: made.created + 5
        })
        assert.deepStrictEqual(yield* webhooks.get(scope, made.id), replaced)
        yield* webhooks.renew(scope, made.id, Redacted.make("another secret"))
        assert.deepStrictEqual(yield* all, [replaced], "a secret is no part of what is read")
      }))

    it.effect("one that was removed is gone; of one that is not there nothing can be changed", () =>
      Effect.gen(function*() {
        const { all, make, scope, webhooks } = yield* start
        const { id } = yield* make()
        const other = yield* make()
        yield* webhooks.remove(scope, id)
        const asked = [
          webhooks.get(scope, id),
          webhooks.replace(scope, id, draft({ state: "DISABLED" })),
          webhooks.remove(scope, id),
          webhooks.renew(scope, id, secret)
        ]
        for (const each of asked) assert.strictEqual(yield* tag(each), "WebhookNotFound")
        assert.deepStrictEqual(yield* all, [other])
      }))

    it.effect("are listed newest first, page by page", () =>
      Effect.gen(function*() {
        const { make, scope, webhooks } = yield* start
        const ids: Array<string> = []
        for (let n = 0; n < 5; n++) {
          ids.unshift((yield* make()).id)
          yield* TestClock.adjust("1 milli")
        }
        const page = (cursor: string | undefined) => webhooks.list(scope, { limit: 2, cursor })
        assert.deepStrictEqual(yield* Walk.all(page, ({ id }) => id, () => make()), ids)
        assert.strictEqual(yield* tag(webhooks.list(scope, { limit: 2, cursor: "bad" })), "InvalidCursor")
      }))

    it.effect("P10: environments do not share them, nor how many there may be", () =>
      Effect.gen(function*() {
        const { all, make, scope, webhooks } = yield* start
        const elsewhere = yield* start
        const made = yield* make()
        yield* Effect.forEach(Array.from({ length: most }), () => elsewhere.make())
        const asked = [
          webhooks.get(elsewhere.scope, made.id),
          webhooks.replace(elsewhere.scope, made.id, draft({ state: "DISABLED" })),
          webhooks.remove(elsewhere.scope, made.id),
          webhooks.renew(elsewhere.scope, made.id, secret)
        ]
        for (const each of asked) assert.strictEqual(yield* tag(each), "WebhookNotFound")
        assert.deepStrictEqual(yield* webhooks.get(scope, made.id), made)
        assert.deepStrictEqual(yield* all, [made])
      }))

    it.effect(`there are ${most} at most, also of those that are made at once`, () =>
      Effect.gen(function*() {
        const { all, make, scope, webhooks } = yield* start
        const together = Array.from({ length: most + 10 }, () => Effect.result(make()))
        const results = yield* Effect.all(together, { concurrency: "unbounded" })
        assert.lengthOf(results.filter(Result.isSuccess), most)
        const refused = yield* Effect.flip(make())
        assert.deepInclude(refused, { _tag: "TooManyWebhooks", most })
        const [last] = yield* all
        assert.lengthOf(yield* all, most)
        yield* webhooks.remove(scope, last?.id ?? "")
        yield* make()
      }))
  })
