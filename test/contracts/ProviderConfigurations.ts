import {
  type Configuration,
  type ConfigurationDraft,
  ProviderConfigurations
} from "#src/delivery/providers/ProviderConfigurations.ts"
import { Journal } from "#src/delivery/Journal.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { MessageLog } from "#src/reports/MessageLog.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const draft = (provider: string, more: Partial<ConfigurationDraft> = {}): ConfigurationDraft => ({
  provider,
  title: undefined,
  alias: undefined,
  settings: Redacted.make({ api_key: "\u0000 hidden", deep: { ...Fixture.withProto } }),
  ...more
})

/** With its secrets in sight. */
const shown = ({ settings, ...rest }: Configuration) => ({
  ...rest,
  settings: settings === undefined ? undefined : JSON.stringify(Redacted.value(settings))
})

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const at = yield* Clock.currentTimeMillis
  const configurations = yield* ProviderConfigurations
  const installed = Effect.map(configurations.installed(scope), (all) => all.map(shown))
  const make = (provider: string, alias?: string) => configurations.create(scope, draft(provider, { alias }))
  const strategies = yield* Strategies
  const route = (channels: ReadonlyArray<string>, providers: ReadonlyArray<string> = []) =>
    strategies.create(scope, {
      name: "s",
      routing: { method: "single", channels },
      channels: { email: { providers } }
    })
  return { at, scope, configurations, installed, make, route, strategies }
})

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** What every store of provider configurations promises. */
export const providerConfigurationsContract = <E>(
  name: string,
  stores: Layer.Layer<Journal | MessageLog | ProviderConfigurations | Strategies | TenantTemplates | Tenants, E>
) =>
  layer(stores)(`ProviderConfigurations: ${name}`, (it) => {
    it.effect("are kept as they were given, and replaced by what the change makes of them", () =>
      Effect.gen(function*() {
        const { at, configurations, installed, scope } = yield* start
        const made = yield* configurations.create(scope, draft("sendgrid", { title: "t", alias: "a" }))
        assert.match(made.id, /^pc_[0-9a-hjkmnp-tv-z]{26}$/)
        assert.deepStrictEqual(shown(yield* configurations.get(scope, made.id)), shown(made))
        assert.deepStrictEqual(yield* installed, [shown(made)])
        yield* TestClock.adjust("1 second")
        const replaced = yield* configurations.replace(scope, made.id, (stored) =>
          Effect.succeed({
            ...stored,
            title: undefined,
            alias: undefined,
            settings: stored.settings === undefined
              ? undefined
              : Redacted.make({ ...Redacted.value(stored.settings), more: 1 })
          }))
        assert.deepStrictEqual(shown(yield* configurations.get(scope, made.id)), shown(replaced))
        assert.deepStrictEqual(yield* installed, [shown(replaced)])
        assert.deepStrictEqual([replaced.created, replaced.updated, replaced.title], [at, at + 1_000, undefined])
        assert.include(shown(replaced).settings, "\"more\":1")
      }))

    it.effect("a refused change changes nothing", () =>
      Effect.gen(function*() {
        const { configurations, make, scope } = yield* start
        const made = yield* make("smtp")
        const refusal = configurations.replace(scope, made.id, () => Effect.fail({ _tag: "Refused" as const }))
        assert.strictEqual(yield* tag(refusal), "Refused")
        assert.deepStrictEqual(shown(yield* configurations.get(scope, made.id)), shown(made))
      }))

    it.effect("one without settings is kept without", () =>
      Effect.gen(function*() {
        const { configurations, installed, scope } = yield* start
        const made = yield* configurations.create(scope, draft("sendgrid", { settings: undefined }))
        assert.isUndefined((yield* configurations.get(scope, made.id)).settings)
        assert.deepStrictEqual(yield* installed, [shown(made)])
      }))

    it.effect("an alias names one", () =>
      Effect.gen(function*() {
        const { configurations, make, scope } = yield* start
        yield* make("smtp", "main")
        const other = yield* make("smtp")
        assert.strictEqual(yield* tag(make("sendgrid", "main")), "ConfigurationAliasTaken")
        const change = configurations.replace(scope, other.id, (stored) => Effect.succeed({ ...stored, alias: "main" }))
        assert.strictEqual(yield* tag(change), "ConfigurationAliasTaken")
        assert.lengthOf((yield* configurations.list(scope, { limit: 10, cursor: undefined })).items, 2)
        yield* (yield* start).make("smtp", "main")
      }))

    it.effect("installed ones come oldest first, the same value while nothing changed", () =>
      Effect.gen(function*() {
        const { configurations, make, scope } = yield* start
        const ids: Array<string> = []
        for (const provider of ["smtp", "sendgrid", "smtp"]) {
          ids.push((yield* make(provider)).id)
          yield* TestClock.adjust("1 milli")
        }
        const first = yield* configurations.installed(scope)
        assert.deepStrictEqual(first.map(({ id }) => id), ids)
        yield* (yield* start).make("smtp")
        assert.strictEqual(yield* configurations.installed(scope), first)
        yield* configurations.remove(scope, ids[0] ?? "")
        assert.deepStrictEqual((yield* configurations.installed(scope)).map(({ id }) => id), ids.slice(1))
      }))

    it.effect("installed ones come in the order in which they were made, at one time or while the clock was set back too", () =>
      Effect.gen(function*() {
        const { at, installed, make } = yield* start
        const ids: Array<string> = []
        for (const time of [at, at, at, at, at - 3_600_000, at - 3_600_000]) {
          yield* TestClock.setTime(time)
          ids.push((yield* make("smtp")).id)
        }
        yield* TestClock.setTime(at)
        assert.deepStrictEqual((yield* installed).map(({ id }) => id), ids)
      }))

    it.effect("are listed newest first, page by page", () =>
      Effect.gen(function*() {
        const { configurations, make, scope } = yield* start
        const ids: Array<string> = []
        for (const provider of ["a", "b", "c"]) {
          ids.unshift((yield* make(provider)).id)
          yield* TestClock.adjust("1 milli")
        }
        const first = yield* configurations.list(scope, { limit: 2, cursor: undefined })
        const second = yield* configurations.list(scope, { limit: 2, cursor: first.cursor })
        assert.deepStrictEqual([...first.items, ...second.items].map(({ id }) => id), ids)
        assert.isUndefined(second.cursor)
      }))

    it.effect("a page ends early where settings are large, and has one at least", () =>
      Effect.gen(function*() {
        const { configurations, scope } = yield* start
        const oldestFirst = yield* Effect.forEach(
          Walk.large.toReversed(),
          (text) => configurations.create(scope, draft("smtp", { settings: Redacted.make({ text }) }))
        )
        const ids = oldestFirst.map(({ id }) => id).toReversed()
        yield* Walk.early((page) => configurations.list(scope, page), ({ id }) => id, ids)
      }))

    it.effect("one that a strategy cannot do without stays", () =>
      Effect.gen(function*() {
        const { configurations, make, route, scope, strategies } = yield* start
        const [one, aliased, named, free] = yield* Effect.all([make("smtp"), make("x", "eu"), make("y"), make("z")])
        const used = [
          yield* route(["smtp"]),
          yield* route(["email"], ["eu"]),
          yield* route(["email"], [named.id])
        ]
        const ids = [one, aliased, named].map(({ id }) => id)
        assert.deepStrictEqual(
          yield* Effect.forEach(ids, (id) => tag(configurations.remove(scope, id))),
          ["ConfigurationInUse", "ConfigurationInUse", "ConfigurationInUse"]
        )
        yield* configurations.remove(scope, free.id)
        yield* make("smtp")
        yield* configurations.remove(scope, one.id)
        yield* Effect.forEach(used, ({ id }) => strategies.archive(scope, id))
        yield* configurations.remove(scope, aliased.id)
        assert.lengthOf((yield* configurations.list(scope, { limit: 10, cursor: undefined })).items, 2)
      }))

    it.effect("one that a strategy names by its vendor's older name stays", () =>
      Effect.gen(function*() {
        const { configurations, make, route, scope, strategies } = yield* start
        const { id } = yield* make("aws-ses")
        const used = yield* route(["ses"])
        assert.strictEqual(yield* tag(configurations.remove(scope, id)), "ConfigurationInUse")
        yield* strategies.archive(scope, used.id)
        yield* configurations.remove(scope, id)
      }))

    it.effect("one that a strategy cannot do without stays, behind any number that only have its name in their texts", () =>
      Effect.gen(function*() {
        const { configurations, make, route, scope, strategies } = yield* start
        const { id } = yield* make("smtp", "eu")
        const routing = { method: "single" as const, channels: ["email"] }
        yield* Effect.forEach(Array.from({ length: 50 }), () => strategies.create(scope, { name: "eu", routing }))
        const used = yield* route(["email"], ["eu"])
        const refused = yield* Effect.flip(configurations.remove(scope, id))
        assert.deepInclude(refused, { _tag: "ConfigurationInUse", by: `routing strategy ${used.id}` })
        yield* strategies.archive(scope, used.id)
        yield* configurations.remove(scope, id)
      }))

    it.effect("one that a tenant's template cannot do without stays, published or not", () =>
      Effect.gen(function*() {
        const { configurations, make, scope } = yield* start
        const templates = yield* TenantTemplates
        yield* (yield* Tenants).replace(scope, "acme", { name: "Acme" })
        const via = (name: string) => ({
          content: { elements: [] },
          routing: { method: "single" as const, channels: ["email"] },
          channels: { email: { providers: [name] } }
        })
        const [live, drafted] = yield* Effect.all([make("smtp", "live"), make("smtp", "drafted")])
        yield* templates.put(scope, "acme", "welcome", via("live"), true)
        yield* templates.put(scope, "acme", "welcome", via("drafted"), false)
        for (const { id } of [live, drafted]) {
          const refused = yield* Effect.flip(configurations.remove(scope, id))
          assert.deepInclude(refused, { _tag: "ConfigurationInUse", by: "template welcome of tenant acme" })
        }
        yield* templates.publish(scope, "acme", "welcome", "latest")
        yield* configurations.remove(scope, live.id)
        yield* templates.remove(scope, "acme", "welcome")
        yield* configurations.remove(scope, drafted.id)
      }))

    it.effect("P1: what waits keeps its attempts when their provider is called otherwise, and owes nothing to one that is gone", () =>
      Effect.gen(function*() {
        const { configurations, make, scope } = yield* start
        const place = { ...yield* Fixture.world, scope }
        const journal = yield* Journal
        const log = yield* MessageLog
        const { epoch } = yield* journal.take(place.shard, "node", place.at)
        const tried = Effect.fnUntraced(function*(
          dueAt: number | null,
          ...attempts: ReadonlyArray<
            readonly [provider: string, kind: "Misconfigured" | "Unavailable" | "RecipientRejected" | null]
          >
        ) {
          const message = yield* Fixture.accepted(place)
          for (const [index, [provider, kind]] of attempts.entries()) {
            const attempt = Fixture.attempt(index + 1, kind === null ? "accepted" : "rejected", { provider, kind })
            yield* journal.record(Fixture.step(message, epoch, { attempt, dueAt }))
          }
          return Effect.map(log.attempts(scope, message.id), (all) => all.map(({ provider }) => provider))
        })
        const first = yield* make("smtp", "a")
        yield* TestClock.adjust("1 milli")
        const second = yield* make("smtp", "b")
        const waiting = yield* tried(place.at + 60_000, ["smtp", "Misconfigured"], ["b", "Unavailable"])
        const ready = yield* tried(0, ["b", null], ["other", "Unavailable"])
        const counts = yield* tried(0, ["smtp", null], ["smtp", "RecipientRejected"])
        const closed = yield* tried(null, ["smtp", "Misconfigured"], ["b", "Unavailable"])
        const names = Effect.all([waiting, ready, counts, closed])
        const found = (provider: string) =>
          Effect.map(log.list(scope, { ...Fixture.anything, providers: [provider] }), ({ items }) => items.length)

        yield* configurations.replace(scope, second.id, (stored) => Effect.succeed({ ...stored, alias: "c" }))
        assert.deepStrictEqual(yield* names, [["smtp", "c"], ["c", "other"], ["smtp", "smtp"], ["smtp", "b"]])
        assert.deepStrictEqual(yield* Effect.all(["c", "b", "smtp", "other"].map(found)), [2, 1, 3, 1])
        yield* configurations.remove(scope, first.id)
        assert.deepStrictEqual(yield* names, [[first.id, "smtp"], ["smtp", "other"], ["smtp", "smtp"], ["smtp", "b"]])
        assert.deepStrictEqual(yield* Effect.all([first.id, "smtp", "c"].map(found)), [1, 4, 0])
        yield* configurations.remove(scope, second.id)
        assert.deepStrictEqual(yield* waiting, [first.id, second.id])
      }))

    it.effect("the first ones are stored once, and not where there ever were any", () =>
      Effect.gen(function*() {
        const { configurations, installed, scope } = yield* start
        const first = configurations.first(scope, [draft("smtp"), draft("twilio")])
        assert.sameMembers(yield* Effect.all([first, first], { concurrency: "unbounded" }), [true, false])
        assert.sameMembers((yield* installed).map(({ provider }) => provider), ["smtp", "twilio"])
        const other = yield* start
        const made = yield* other.make("sendgrid")
        yield* other.configurations.remove(other.scope, made.id)
        assert.isFalse(yield* other.configurations.first(other.scope, [draft("smtp")]))
        assert.deepStrictEqual(yield* other.installed, [])
      }))

    it.effect("P10: another environment's is none", () =>
      Effect.gen(function*() {
        const { make } = yield* start
        const { id } = yield* make("smtp")
        const elsewhere = yield* start
        const { configurations, scope } = elsewhere
        assert.deepStrictEqual(
          yield* Effect.all([
            tag(configurations.get(scope, id)),
            tag(configurations.remove(scope, id)),
            tag(configurations.replace(scope, id, Effect.succeed))
          ]),
          ["ConfigurationNotFound", "ConfigurationNotFound", "ConfigurationNotFound"]
        )
        assert.deepStrictEqual(yield* elsewhere.installed, [])
      }))
  })
