import type { Recipient } from "#schemas/Recipient.ts"
import type { Instructions } from "#schemas/SendMessage.ts"
import { UserId } from "#schemas/Profile.ts"
import * as BrandChoice from "#src/content/BrandChoice.ts"
import { Brands } from "#src/content/Brands.ts"
import { Templates } from "#src/content/Templates.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { fromRow } from "#src/delivery/journal/OpenMessage.ts"
import * as Stages from "#src/delivery/pipeline/Stages.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import * as Tenancies from "#src/people/Tenancies.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as Fixture from "#test/contracts/Fixture.ts"
import { template } from "#test/contracts/TemplateFixture.ts"
import * as Stores from "#test/layers/memory/Stores.ts"
import * as Fake from "#test/support/Fake.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const stores = Layer.mergeAll(
  Stores.layer,
  Fake.layer([Fake.nothing("smtp", "email"), Fake.nothing("twilio", "sms"), Fake.nothing("inbox", "inbox")])
).pipe(Layer.merge(Layer.mock(DeviceTokens, { reachable: () => Effect.succeed([]) })))

const start = Effect.gen(function*() {
  const world = yield* Fixture.world
  const { scope } = world
  const { decide } = yield* Stages.make
  const send = Effect.fnUntraced(function*(recipient: Recipient, more: Instructions = {}, keyState = "published") {
    const { events: _, ...message } = Fixture.message(world, { keyState: keyState === "draft" ? "draft" : "published" })
    const open = yield* Effect.orDie(fromRow({ ...message, recipient: "{}", instructions: "{}" }))
    const content = more.template === undefined ? { content: { title: "a", body: "b" } } : {}
    return yield* decide({ ...open, recipient, instructions: { ...content, ...more } })
  })
  const brands = yield* Brands
  const templates = yield* Templates
  return {
    scope,
    send,
    brands,
    templates,
    memberships: yield* Memberships,
    profiles: yield* Profiles,
    tenants: yield* Tenants,
    tenantTemplates: yield* TenantTemplates
  }
})

const ada = { user_id: "ada", email: "ada@example.com" }
const acme = { ...ada, tenant_id: "acme" }

describe("Sends in a tenant", () => {
  it.effect("the profile is the tenants', the nearest last, then the user's, the membership's and the send's", () =>
    Effect.gen(function*() {
      const { memberships, profiles, scope, send, tenants } = yield* start
      const layer = (...levels: ReadonlyArray<number>) =>
        Object.fromEntries(levels.map((level) => [`from${level}`, { [`by${levels[0]}`]: true, last: levels[0] ?? 0 }]))
      yield* tenants.replace(scope, "top", { name: "Top", user_profile: layer(1, 2, 3, 4) })
      yield* tenants.replace(scope, "acme", { name: "A", parent_tenant_id: "top", user_profile: layer(2, 3, 4) })
      yield* profiles.replace(scope, UserId.make("ada"), layer(3, 4, 5))
      yield* memberships.put(scope, "ada", [{ tenantId: "acme", profile: { ...layer(4), from5: "m" } }])
      const { profile } = yield* send({ ...acme, from5: "to" })
      assert.deepStrictEqual(profile, {
        from1: { by1: true, last: 1 },
        from2: { by1: true, by2: true, last: 2 },
        from3: { by1: true, by2: true, by3: true, last: 3 },
        from4: { by1: true, by2: true, by3: true, by4: true, last: 4 },
        from5: "to",
        email: "ada@example.com",
        user_id: "ada"
      })
    }).pipe(Effect.provide(stores)))

  it.effect("a null says nothing: it hides no address that a tenant gives, nor the user's own within one", () =>
    Effect.gen(function*() {
      const { memberships, profiles, scope, send, tenants } = yield* start
      const given = { email: "team@acme.example", phone_number: "+4930", custom: { floor: 3 } }
      yield* tenants.replace(scope, "acme", { name: "Acme", user_profile: given })
      yield* profiles.replace(scope, UserId.make("ada"), {
        email: null,
        custom: { floor: null, desk: null },
        nick: "a"
      })
      yield* memberships.put(scope, "ada", [{ tenantId: "acme", profile: { phone_number: null, nick: null } }])
      const { profile } = yield* send({ user_id: "ada", tenant_id: "acme" })
      const expected = { ...given, custom: { floor: 3, desk: null }, nick: "a", user_id: "ada" }
      assert.deepStrictEqual(profile, expected)
    }).pipe(Effect.provide(stores)))

  it.effect("templates see the tenant's name and its properties over its ancestors'", () =>
    Effect.gen(function*() {
      const { scope, send, tenants } = yield* start
      yield* tenants.replace(scope, "top", { name: "Top", properties: { plan: "basic", a: { x: 1 } } })
      const own = { name: "Acme", parent_tenant_id: "top", properties: { plan: "gold", a: { y: 2 } } }
      yield* tenants.replace(scope, "acme", own)
      const { tenancy } = yield* send({ email: "x@example.com", tenant_id: "acme" })
      const properties = { plan: "gold", a: { x: 1, y: 2 } }
      assert.deepStrictEqual(Tenancies.variable(tenancy), {
        ...properties,
        properties,
        id: "acme",
        name: "Acme",
        parent_tenant_id: "top"
      })
      assert.isUndefined(Tenancies.variable((yield* send({ ...ada, tenant_id: "none" })).tenancy))
    }).pipe(Effect.provide(stores)))

  it.effect("a user of one tenant is in it when the send names none; a user of two is in neither", () =>
    Effect.gen(function*() {
      const { memberships, scope, send, tenants } = yield* start
      const tenantOf = Effect.map(send(ada), ({ message, tenancy }) => [
        message.recipient.tenant_id,
        tenancy.chain.map(({ id }) => id)
      ])
      assert.deepStrictEqual(yield* tenantOf, [undefined, []])
      for (const id of ["acme", "other"]) yield* tenants.replace(scope, id, { name: id })
      yield* memberships.put(scope, "ada", [{ tenantId: "other", profile: undefined }])
      assert.deepStrictEqual(yield* tenantOf, ["other", ["other"]])
      assert.strictEqual((yield* send(acme)).message.recipient.tenant_id, "acme")
      // What ends before a provider is in it too.
      const refused = yield* Effect.flip(send(ada, { template: "none" }))
      assert.strictEqual(refused.recipient?.tenant_id, "other")
      yield* memberships.put(scope, "ada", [{ tenantId: "acme", profile: undefined }])
      assert.deepStrictEqual(yield* tenantOf, [undefined, []])
    }).pipe(Effect.provide(stores)))

  it.effect("a tenant that does not exist is told of, also where the message has no template without it", () =>
    Effect.gen(function*() {
      const { scope, send, tenants, tenantTemplates } = yield* start
      yield* tenants.replace(scope, "acme", { name: "Acme" })
      const own = { content: { version: "2022-01-01", elements: [{ type: "text", id: "e", content: "own" }] } }
      yield* tenantTemplates.put(scope, "acme", "only", own, true)
      const of = (recipient: Recipient, more: Instructions = {}) =>
        send(recipient, more).pipe(
          Effect.map(({ unknown }) => unknown?.tenant),
          Effect.catchTag("Refusal", ({ type, unknown }) => Effect.succeed([type, unknown?.tenant]))
        )
      const none = { ...ada, tenant_id: "none" }
      const push: Instructions = { routing: { method: "single", channels: ["push"] } }
      assert.deepStrictEqual([yield* of(none), yield* of(acme), yield* of(ada)], ["none", undefined, undefined])
      assert.deepStrictEqual(yield* of(none, push), ["UNROUTABLE", "none"])
      assert.deepStrictEqual(yield* of(acme, push), ["UNROUTABLE", undefined])
      assert.deepStrictEqual(yield* of(none, { template: "only" }), ["UNMAPPED", "none"])
      assert.deepStrictEqual(yield* of(acme, { template: "other" }), ["UNMAPPED", undefined])
      assert.isUndefined(yield* of(acme, { template: "only" }))
    }).pipe(Effect.provide(stores)))

  it.effect("the brand is the channel's, the message's, the nearest tenant's, the template's, the default", () =>
    Effect.gen(function*() {
      const { brands, scope, send, templates, tenants } = yield* start
      const brandIn = (recipient: Recipient, more: Instructions = {}) =>
        Effect.map(send(recipient, more), ({ brandOf }) => [brandOf("email")?.id, brandOf("sms")?.id])
      assert.deepStrictEqual(yield* brandIn(ada, { brand_id: "none" }), [undefined, undefined])
      for (const id of ["default", "ofTemplate", "ofTop", "ofTenant", "ofMessage", "ofChannel"]) {
        yield* brands.create(scope, id, { name: id })
      }
      const draft = { template: template("t", { brand: { id: "ofTemplate" } }), alias: "welcome", publish: true }
      yield* templates.create(scope, draft)
      yield* tenants.replace(scope, "top", { name: "Top", brand_id: "ofTop" })
      yield* tenants.replace(scope, "acme", { name: "Acme", parent_tenant_id: "top" })
      assert.deepStrictEqual(yield* brandIn(ada), ["default", "default"])
      assert.deepStrictEqual(yield* brandIn(ada, { template: "welcome" }), ["ofTemplate", "ofTemplate"])
      assert.deepStrictEqual(yield* brandIn(acme, { template: "welcome" }), ["ofTop", "ofTop"])
      yield* tenants.replace(scope, "acme", { name: "Acme", parent_tenant_id: "top", brand_id: "ofTenant" })
      assert.deepStrictEqual(yield* brandIn(acme, { brand_id: "none" }), ["ofTenant", "ofTenant"])
      assert.deepStrictEqual(
        yield* brandIn(acme, { brand_id: "ofMessage", channels: { sms: { brand_id: "ofChannel" } } }),
        ["ofMessage", "ofChannel"]
      )
    }).pipe(Effect.provide(stores)))

  it.effect("a brand that the message names, for itself or a channel, and that does not exist, is told of", () =>
    Effect.gen(function*() {
      const { brands, scope, send } = yield* start
      const of = (more: Instructions) => Effect.map(send(ada, more), ({ unknown }) => unknown)
      const inSms = (id: string): Instructions => ({ channels: { sms: { brand_id: id } } })
      assert.deepStrictEqual(yield* of({ brand_id: "a" }), { brand: "a" })
      assert.deepStrictEqual(yield* of(inSms("a")), { brand: "a" })
      assert.isUndefined(yield* of({ brand_id: "", channels: { sms: {}, email: { brand_id: "" } } }))
      for (const id of ["default", "a"]) yield* brands.create(scope, id, { name: id })
      assert.isUndefined(yield* of({ brand_id: "a", ...inSms("default") }))
      assert.deepStrictEqual(yield* of({ brand_id: "a", ...inSms("b") }), { brand: "b" })
      assert.deepStrictEqual(yield* of({ brand_id: "b", ...inSms("a") }), { brand: "b" })
    }).pipe(Effect.provide(stores)))

  it.effect("a brand embedded on a tenant is used in place of the one it names, even where there are no brands", () =>
    Effect.gen(function*() {
      const { brands, scope, send, tenants } = yield* start
      const brand = { settings: { colors: { primary: "#123456" } } }
      yield* tenants.replace(scope, "acme", { name: "Acme", brand_id: "b", brand })
      const expected = { id: "acme", name: "Acme", ...brand, snippets: {} }
      const seen = Effect.map(send(acme), ({ brandOf }) => brandOf("email"))
      assert.deepStrictEqual(yield* seen, expected)
      yield* brands.create(scope, "b", { name: "B" })
      assert.deepStrictEqual(yield* seen, expected)
    }).pipe(Effect.provide(stores)))

  it.effect("what a brand inherits comes from the default one", () =>
    Effect.gen(function*() {
      const { brands, scope, send } = yield* start
      const footer = { content: "Default", markdown: "*Default*" }
      yield* brands.create(scope, "default", {
        name: "Default",
        settings: { email: { footer, header: { barColor: "red" } } }
      })
      const email = { footer: { inheritDefault: true, content: "Own" }, header: { barColor: "blue" } }
      yield* brands.create(scope, "own", { name: "Own", settings: { colors: { primary: "green" }, email } })
      const { brandOf } = yield* send(ada, { brand_id: "own" })
      const brand = brandOf("email")
      assert.deepStrictEqual(brand?.settings, {
        colors: { primary: "green" },
        email: { footer, header: { barColor: "blue" } }
      })
      assert.strictEqual(brandOf("sms"), brand)
      assert.deepInclude(brand === undefined ? {} : BrandChoice.variable(brand), {
        id: "own",
        name: "Own",
        colors: { primary: "green" }
      })
    }).pipe(Effect.provide(stores)))

  it.effect("the tenant's template replaces the workspace's of its id, by any of its names, once it is published", () =>
    Effect.gen(function*() {
      const { scope, send, templates, tenants, tenantTemplates } = yield* start
      yield* tenants.replace(scope, "acme", { name: "Acme" })
      const { id } = yield* templates.create(scope, { template: template("w"), alias: "welcome", publish: true })
      const own = {
        content: { version: "2022-01-01", elements: [{ type: "text", id: "e", content: "own" }] },
        routing: { method: "single" as const, channels: ["sms"] }
      }
      const said = (name: string, recipient: Recipient = acme, keyState?: string) =>
        Effect.map(
          send(Object.assign({ phone_number: "+15005550006" }, recipient), { template: name }, keyState),
          (decision) => [
            decision.content.elements?.[0]?.["content"] === "own",
            decision.plan,
            decision.template?.id
          ]
        )
      const workspace = yield* said(id)
      assert.strictEqual(workspace[0], false)
      yield* tenantTemplates.put(scope, "acme", id, own, false)
      assert.deepStrictEqual(yield* said(id), workspace)
      assert.strictEqual((yield* said(id, acme, "draft"))[0], true)
      yield* tenantTemplates.publish(scope, "acme", id, "latest")
      const replaced = yield* said(id)
      assert.deepStrictEqual([replaced[0], replaced[2]], [true, id])
      assert.include(JSON.stringify(replaced[1]), "twilio")
      assert.notInclude(JSON.stringify(replaced[1]), "smtp")
      assert.deepStrictEqual(yield* said("welcome"), replaced)
      assert.deepStrictEqual(yield* said(`tenant/${id}`), replaced)
      const [own1, own2] = yield* Effect.forEach([id, `tenant/${id}`], (name) => send(acme, { template: name }))
      assert.deepStrictEqual(own1?.template, own2?.template, "its topic, brand and tags are the workspace template's")
      assert.deepStrictEqual(own2?.template?.template.tags, ["one"])
      assert.deepStrictEqual(yield* said(id, ada), workspace)
      // What ends before a provider is of the template that its name meant.
      const { templateId } = yield* Effect.flip(
        send(acme, { template: "welcome", routing: { method: "single", channels: ["push"] } })
      )
      assert.strictEqual(templateId, id)
      yield* tenantTemplates.remove(scope, "acme", id)
      assert.deepStrictEqual(yield* said(id), workspace)
      const gone = yield* Effect.flip(said(`tenant/${id}`))
      assert.deepStrictEqual([gone.type, gone.detail], ["UNMAPPED", `Notification template tenant/${id} not found`])
      yield* tenantTemplates.put(scope, "acme", "only", own, true)
      assert.strictEqual((yield* said("only"))[0], true)
      for (const name of ["only", "tenant/only"]) {
        const { message, template } = yield* send(acme, { template: name })
        assert.deepStrictEqual([template?.id, message.templateId], ["only", undefined], "it is what it was sent with")
      }
      assert.strictEqual((yield* Effect.flip(said("only", ada))).type, "UNMAPPED")
    }).pipe(Effect.provide(stores)))
})
