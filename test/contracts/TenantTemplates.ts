import type { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import * as Walk from "#test/contracts/Walk.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const template = (content: string): TenantTemplate => ({
  content: { version: "2022-01-01", elements: [{ type: "text", id: "e1", content }] },
  routing: { method: "single", channels: ["email"] },
  providers: { smtp: { override: { ...Fixture.withProto } } }
})

const start = Effect.gen(function*() {
  const { scope } = yield* Fixture.world
  const tenants = yield* Tenants
  yield* tenants.replace(scope, "acme", { name: "Acme" })
  return { scope, at: yield* Clock.currentTimeMillis, tenants, templates: yield* TenantTemplates }
})

const tag = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const said = Effect.map((found: TenantTemplate | undefined) => found?.content.elements[0]?.["content"])

/** What every store of tenants' templates promises. */
export const tenantTemplatesContract = <E>(name: string, stores: Layer.Layer<TenantTemplates | Tenants, E>) =>
  layer(stores)(`Templates of tenants: ${name}`, (it) => {
    it.effect("every write of something else is a version, and the published one is sent until another is", () =>
      Effect.gen(function*() {
        const { at, scope, templates } = yield* start
        const sent = said(templates.resolve(scope, "acme", "nt/1", "published"))
        const drafted = said(templates.resolve(scope, "acme", "nt/1", "draft"))
        assert.deepStrictEqual([yield* sent, yield* drafted], [undefined, undefined])
        const first = yield* templates.put(scope, "acme", "nt/1", template("one"), false)
        assert.deepStrictEqual(first, {
          id: "nt/1",
          version: 1,
          template: template("one"),
          created: at,
          updated: at,
          published: undefined,
          isMade: true
        })
        assert.deepStrictEqual([yield* sent, yield* drafted], [undefined, "one"])
        assert.strictEqual(yield* tag(templates.get(scope, "acme", "nt/1", "published")), "VersionNotFound")
        assert.strictEqual(yield* tag(templates.publish(scope, "acme", "nt/1", 9)), "VersionNotFound")
        yield* TestClock.adjust("1 second")
        const second = yield* templates.put(scope, "acme", "nt/1", template("two"), true)
        assert.deepInclude(second, { version: 2, created: at, updated: at + 1_000, published: at + 1_000 })
        yield* TestClock.adjust("1 second")
        yield* templates.put(scope, "acme", "nt/1", template("three"), false)
        assert.deepStrictEqual([yield* sent, yield* drafted], ["two", "three"])
        yield* templates.publish(scope, "acme", "nt/1", "latest")
        assert.strictEqual(yield* sent, "three")
        const back = yield* templates.publish(scope, "acme", "nt/1", 1)
        assert.deepInclude(back, { version: 1, published: at + 2_000, changed: true })
        assert.strictEqual(yield* sent, "one")
        yield* TestClock.adjust("1 second")
        const again = yield* templates.publish(scope, "acme", "nt/1", "published")
        assert.deepStrictEqual(again, { ...back, changed: false })
        assert.strictEqual((yield* templates.get(scope, "acme", "nt/1", "latest")).version, 3)
        assert.deepStrictEqual((yield* templates.get(scope, "acme", "nt/1", 2)).template, template("two"))
        assert.strictEqual(yield* tag(templates.get(scope, "acme", "nt/1", 4)), "VersionNotFound")
      }))

    it.effect("what is written again as it was is no new version, also where its elements have no ids", () =>
      Effect.gen(function*() {
        const { at, scope, templates } = yield* start
        const given = { content: { elements: [{ type: "text", content: "x" }] } }
        const first = yield* templates.put(scope, "acme", "t", given, false)
        yield* TestClock.adjust("1 second")
        const again = yield* templates.put(scope, "acme", "t", given, true)
        assert.deepStrictEqual(again, { ...first, updated: at + 1_000, published: at + 1_000, isMade: false })
        assert.strictEqual((yield* templates.put(scope, "acme", "t", template("y"), true)).version, 2)
        assert.strictEqual((yield* templates.put(scope, "acme", "t", given, true)).version, 3)
      }))

    it.effect("an id stands in the content once, and what is no template does not go live", () =>
      Effect.gen(function*() {
        const { scope, templates } = yield* start
        const put = (elements: TenantTemplate["content"]["elements"], publish: boolean) =>
          templates.put(scope, "acme", "t", { content: { elements } }, publish)
        const text = { type: "text", id: "a", content: "Hi {{#if name}}" }
        const repeated = yield* Effect.flip(put([text, { ...text }], false))
        assert.deepStrictEqual([repeated._tag, Reflect.get(repeated, "path")], [
          "ContentRefused",
          "content.elements[1].id"
        ])
        yield* put([{ ...text, content: "live" }], true)
        assert.strictEqual(yield* tag(put([text], true)), "ContentRefused")
        assert.strictEqual((yield* templates.get(scope, "acme", "t", "latest")).version, 1)
        yield* put([text], false)
        assert.strictEqual(yield* tag(templates.publish(scope, "acme", "t", "latest")), "ContentRefused")
        assert.strictEqual(yield* said(templates.resolve(scope, "acme", "t", "published")), "live")
        yield* templates.publish(scope, "acme", "t", "published")
      }))

    it.effect("elements without an id get one", () =>
      Effect.gen(function*() {
        const { scope, templates } = yield* start
        const made = yield* templates.put(
          scope,
          "acme",
          "t",
          { content: { elements: [{ type: "text", content: "x" }] } },
          false
        )
        assert.isString(made.template.content.elements[0]?.["id"])
      }))

    it.effect("belong to one tenant of one environment, and go with it", () =>
      Effect.gen(function*() {
        const { scope, templates, tenants } = yield* start
        const elsewhere = yield* start
        assert.strictEqual(yield* tag(templates.put(scope, "none", "t", template("x"), true)), "TenantNotFound")
        yield* tenants.replace(scope, "other", { name: "Other" })
        yield* templates.put(scope, "acme", "t", template("here"), true)
        assert.isUndefined(yield* templates.resolve(scope, "other", "t", "published"))
        assert.isUndefined(yield* templates.resolve(elsewhere.scope, "acme", "t", "published"))
        assert.deepStrictEqual(
          yield* Effect.all([
            tag(templates.remove(scope, "other", "t")),
            tag(templates.publish(elsewhere.scope, "acme", "t", "latest")),
            tag(templates.get(elsewhere.scope, "acme", "t", "latest"))
          ]),
          ["TenantTemplateNotFound", "TenantTemplateNotFound", "TenantTemplateNotFound"]
        )
        assert.strictEqual(yield* tag(templates.get(scope, "acme", "none", "latest")), "TenantTemplateNotFound")
        const theirs = [[scope, "other", "t"], [elsewhere.scope, "acme", "t"], [scope, "acme", "next"]] as const
        for (const [of, tenant, id] of theirs) yield* templates.put(of, tenant, id, template("theirs"), true)
        yield* templates.put(scope, "acme", "t", template("later"), true)
        yield* templates.remove(scope, "acme", "t")
        assert.isUndefined(yield* templates.resolve(scope, "acme", "t", "published"))
        for (const [of, tenant, id] of theirs) {
          assert.strictEqual(yield* said(templates.resolve(of, tenant, id, "published")), "theirs")
        }
        assert.strictEqual((yield* templates.put(scope, "acme", "t", template("again"), true)).version, 1)
        assert.strictEqual(yield* said(templates.resolve(scope, "acme", "t", "published")), "again")
        yield* tenants.remove(scope, "acme")
        yield* tenants.replace(scope, "acme", { name: "Acme" })
        assert.strictEqual(yield* tag(templates.get(scope, "acme", "t", "latest")), "TenantTemplateNotFound")
        yield* TestClock.adjust("2 seconds")
        assert.isUndefined(yield* templates.resolve(scope, "acme", "t", "published"))
      }))

    it.effect("are listed by id, page by page", () =>
      Effect.gen(function*() {
        const { scope, templates } = yield* start
        for (const [n, id] of ["c", "a", "b", "a"].entries()) {
          yield* templates.put(scope, "acme", id, template(String(n)), false)
        }
        const first = yield* templates.list(scope, "acme", { limit: 2, cursor: undefined })
        const second = yield* templates.list(scope, "acme", { limit: 2, cursor: first.cursor })
        assert.deepStrictEqual(
          [...first.items, ...second.items].map(({ id, version }) => [id, version]),
          [["a", 2], ["b", 1], ["c", 1]]
        )
        assert.isUndefined(second.cursor)
      }))

    it.effect("a page ends early where templates are large, and has one at least", () =>
      Effect.gen(function*() {
        const { scope, templates } = yield* start
        for (const [n, text] of Walk.large.entries()) {
          yield* templates.put(scope, "acme", `t${n}`, template(text), false)
        }
        yield* Walk.early((page) => templates.list(scope, "acme", page), ({ id }) => id, ["t0", "t1", "t2", "t3"])
      }))
  })
