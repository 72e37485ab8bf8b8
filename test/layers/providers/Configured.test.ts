import * as Configured from "#layers/providers/Configured.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { Scope } from "#schemas/Scope.ts"
import { type Delivery, isNamed, type Provider } from "#src/delivery/Provider.ts"
import { type ConfigurationDraft, ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import { Providers } from "#src/delivery/Providers.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import * as Fake from "#test/support/Fake.ts"
import * as FakeCatalogue from "#test/support/FakeCatalogue.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope as EffectScope } from "effect"
import { TestClock } from "effect/testing"

const production = Scope.make(1)
const test = Scope.make(2)

const draft = (secret: string, more: Partial<ConfigurationDraft> = {}): ConfigurationDraft => ({
  provider: "sendgrid",
  title: undefined,
  alias: undefined,
  settings: Redacted.make({ api_key: secret }),
  ...more
})

const delivery: Delivery = {
  scope: production,
  messageId: MessageId.make("1-00000001-000000000000000000000001"),
  attempt: 1,
  idempotencyToken: "t",
  channel: "email",
  profile: {},
  rendered: { title: "", subject: "", body: "", text: "", html: "", blocks: [], actions: [] },
  data: {},
  override: {}
}

const start = Effect.fnUntraced(function*(onSend?: (delivery: Delivery) => Effect.Effect<void>) {
  const { layer: catalogue, seen } = FakeCatalogue.make(onSend)
  const scope = yield* EffectScope.fork(yield* Effect.scope)
  const context = yield* Layer.build(
    Configured.layer.pipe(
      Layer.provide([Fake.layer([Fake.nothing("inbox", "inbox")]), catalogue]),
      Layer.provideMerge(Layer.fresh(Stores.layer))
    )
  ).pipe(EffectScope.provide(scope))
  const configurations = Context.get(context, ProviderConfigurations)
  const providers = Context.get(context, Providers)
  const names = Effect.fnUntraced(function*(environment: Scope) {
    return (yield* providers.configured(environment)).map(({ key, names }) => [key, ...(names ?? [])])
  })
  const send = Effect.fnUntraced(function*(key: string) {
    yield* sendBy((yield* providers.configured(production)).find((provider) => provider.key === key))
  })
  return {
    seen,
    configurations,
    configured: providers.configured,
    names,
    send,
    close: EffectScope.close(scope, Exit.void)
  }
})

const sendBy = (provider: Provider | undefined) =>
  provider?._tag === "Vendor" ? Effect.asVoid(provider.send(delivery)) : Effect.die("no vendor")

describe("Configured", () => {
  it.effect("an environment has what is always installed and its own, never another's (P10)", () =>
    Effect.gen(function*() {
      const { configurations, names } = yield* start()
      const { id } = yield* configurations.create(production, draft("a", { alias: "main" }))
      assert.deepStrictEqual(yield* names(production), [["inbox"], ["sendgrid", "main", id, "sendgrid"]])
      assert.deepStrictEqual(yield* names(test), [["inbox"]])
    }))

  it.effect("a vendor's older name means its configurations, in messages too", () =>
    Effect.gen(function*() {
      const { configurations, configured } = yield* start()
      yield* configurations.create(production, draft("a", { provider: "aws-ses" }))
      const [, ses] = yield* configured(production)
      assert.deepStrictEqual(ses && [ses.key, isNamed(ses, "ses"), isNamed(ses, "smtp")], ["aws-ses", true, false])
    }))

  it.effect("the oldest of a vendor has its key, the others their alias or id", () =>
    Effect.gen(function*() {
      const { configurations, names } = yield* start()
      const one = yield* configurations.create(production, draft("a"))
      yield* TestClock.adjust("1 milli")
      yield* configurations.create(production, draft("b", { alias: "eu" }))
      yield* TestClock.adjust("1 milli")
      const three = yield* configurations.create(production, draft("c"))
      assert.sameMembers((yield* names(production)).map(([key]) => key), ["inbox", "sendgrid", "eu", three.id])
      yield* configurations.remove(production, one.id)
      assert.include((yield* names(production)).map(([key]) => key), "sendgrid")
    }))

  it.effect("a vendor is built once per version, a change counts at once, and what is gone is closed", () =>
    Effect.gen(function*() {
      const { configurations, seen, send } = yield* start()
      const { id } = yield* configurations.create(production, draft("one"))
      for (const _ of [1, 2, 3]) yield* send("sendgrid")
      yield* configurations.create(production, draft("other", { provider: "aws-ses" }))
      yield* send("sendgrid")
      assert.deepStrictEqual([seen.built, seen.closed], [["sendgrid one", "aws-ses other"], []])
      yield* configurations.replace(production, id, () => Effect.succeed(draft("two")))
      yield* send("sendgrid")
      assert.deepStrictEqual(seen.built, ["sendgrid one", "aws-ses other", "sendgrid two"])
      assert.deepStrictEqual(seen.closed, ["sendgrid one"])
      yield* configurations.remove(production, id)
      yield* send("aws-ses")
      assert.deepStrictEqual(seen.closed, ["sendgrid one", "sendgrid two"])
      assert.deepStrictEqual(seen.sent.slice(-2), ["sendgrid two", "aws-ses other"])
    }))

  it.effect("is asked about tickets under its settings as they are now; a vendor that gives none is not asked", () =>
    Effect.gen(function*() {
      const { configurations, configured, seen } = yield* start()
      const { id } = yield* configurations.create(production, draft("one"))
      yield* configurations.create(
        production,
        draft("", { provider: "twilio", settings: Redacted.make({ account: "a" }) })
      )
      const ask = Effect.fnUntraced(function*(providers: ReadonlyArray<Provider>) {
        for (const provider of providers) {
          if (provider._tag === "Vendor" && provider.receipts !== undefined) yield* provider.receipts([])
        }
      })
      const before = yield* configured(production)
      yield* configurations.replace(production, id, () => Effect.succeed(draft("two")))
      yield* ask(yield* configured(production))
      assert.deepStrictEqual(seen.asked, ["sendgrid two"])
      // It was looked up before the change, and is closed by now: it is opened again to be asked.
      yield* ask(before)
      assert.lengthOf(seen.asked, 2)
      assert.lengthOf(seen.built.filter((name) => name === "sendgrid one"), 2)
    }))

  it.effect("of two changes in one millisecond the second counts", () =>
    Effect.gen(function*() {
      const { configurations, seen, send } = yield* start()
      const { id } = yield* configurations.create(production, draft("one"))
      for (const secret of ["two", "three"]) {
        yield* configurations.replace(production, id, () => Effect.succeed(draft(secret)))
        yield* send("sendgrid")
      }
      assert.deepStrictEqual(seen.sent, ["sendgrid two", "sendgrid three"])
    }))

  it.effect("a call under way keeps its vendor open until it ends, and a late one still goes out", () =>
    Effect.gen(function*() {
      const [begun, answer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { configurations, configured, seen, send } = yield* start(() =>
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answer))
      )
      const { id } = yield* configurations.create(production, draft("one"))
      const before = (yield* configured(production)).at(-1)
      const call = yield* Effect.forkChild(sendBy(before))
      yield* Deferred.await(begun)
      yield* configurations.replace(production, id, () => Effect.succeed(draft("two")))
      yield* configured(production)
      assert.deepStrictEqual(seen.closed, [])
      yield* Deferred.succeed(answer, undefined)
      yield* Fiber.join(call)
      assert.deepStrictEqual([seen.sent, seen.closed], [["sendgrid one"], ["sendgrid one"]])
      yield* sendBy(before)
      yield* send("sendgrid")
      assert.lengthOf(seen.sent, 3)
    }))

  it.effect("one without settings, or whose settings no longer fit, is left out and harms nobody", () =>
    Effect.gen(function*() {
      const { configurations, names } = yield* start()
      yield* configurations.create(production, draft("a", { settings: undefined }))
      yield* configurations.create(production, draft("a", { settings: Redacted.make({ api_key: "" }) }))
      yield* configurations.create(production, draft("a", { provider: "gone" }))
      yield* TestClock.adjust("1 milli")
      const { id } = yield* configurations.create(production, draft("good"))
      assert.deepStrictEqual((yield* names(production)).map(([key]) => key), ["inbox", id])
    }))

  it.effect("many at once build once, and the end closes everything", () =>
    Effect.gen(function*() {
      const { close, configurations, configured, seen } = yield* start()
      yield* configurations.create(production, draft("one"))
      yield* Effect.all(Array.from({ length: 20 }, () => configured(production)), { concurrency: "unbounded" })
      assert.deepStrictEqual(seen.built, ["sendgrid one"])
      yield* close
      assert.deepStrictEqual(seen.closed, ["sendgrid one"])
    }))
})
