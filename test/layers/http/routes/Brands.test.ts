import { serve } from "#test/layers/http/Server.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const brand = {
  name: "Acme",
  settings: {
    colors: { primary: "#123456", brandish: "#fff" },
    email: {
      header: { barColor: "#000", logo: { href: "https://acme.example", image: "https://acme.example/l.png" } },
      footer: { content: "Bye", markdown: "*Bye*", social: { facebook: { url: "https://fb.example" } } },
      templateOverride: { enabled: true, width: "600px", mjml: { enabled: false } }
    },
    inapp: { preferences: { templateIds: [] }, placement: "top", disableCourierFooter: true },
    own: { x: [1, null] }
  },
  snippets: { items: [{ name: "hi", value: "Hello" }] }
}

const refusal = (message: string) => ({ message, type: "invalid_request_error" })
const epoch = "1970-01-01T00:00:00.000Z"
const times = { created: 0, updated: 0, published: 0, version: epoch }

describe("Brands", () => {
  it.effect("are created, read, replaced whole, listed and deleted", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const made = yield* call("POST", "/brands", { body: { id: "acme/eu @1", ...brand } })
      assert.deepStrictEqual([made.status, made.body], [200, { id: "acme/eu @1", ...brand, ...times }])
      const path = "/brands/acme%2Feu%20@1"
      assert.deepStrictEqual((yield* call("GET", path)).body, made.body)
      assert.deepStrictEqual((yield* call("GET", "/brands?cursor=")).body, {
        paging: { more: false },
        results: [made.body]
      })
      const replaced = yield* call("PUT", path, { body: { name: "Bare", settings: null } })
      const bare = { name: "Bare", settings: {}, snippets: {}, ...times, version: "1970-01-01T00:00:00.001Z" }
      assert.deepStrictEqual([replaced.status, replaced.body], [200, { id: "acme/eu @1", ...bare }])
      const gone = yield* call("DELETE", path)
      assert.deepStrictEqual([gone.status, gone.text], [204, ""])
      for (const [method, body] of [["GET", undefined], ["DELETE", undefined], ["PUT", { name: "x" }]] as const) {
        const missing = yield* call(method, path, { body })
        assert.deepStrictEqual([missing.status, missing.body], [404, refusal("Brand acme/eu @1 not found")])
      }
    }))

  it.effect("a text that is no template is refused by its path: it would fail every mail of the brand", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const of = (email: object) => ({ name: "Acme", settings: { email } })
      const said = "The template is malformed: \"if\" is not closed"
      const faults = {
        "head.content": { head: { content: "{{#if a}}" } },
        "footer.markdown": { footer: { content: "{{a}}", markdown: "{{#if a}}" } },
        "templateOverride.header": { templateOverride: { header: "{{#if a}}" } },
        "templateOverride.mjml.footer": { templateOverride: { mjml: { footer: "{{#if a}}" } } }
      }
      yield* call("PUT", "/tenants/t", { body: { name: "T" } })
      for (const [path, email] of Object.entries(faults)) {
        const made = yield* call("POST", "/brands", { body: { id: "acme", ...of(email) } })
        assert.deepStrictEqual([made.status, made.body], [400, refusal(`settings.email.${path}: ${said}`)])
        const inTenant = yield* call("PUT", "/tenants/t", { body: { name: "T", brand: of(email) } })
        assert.deepStrictEqual(inTenant.body, refusal(`brand.settings.email.${path}: ${said}`))
      }
      const whole = of({ head: { content: "{{#if a}}b{{/if}}" }, footer: { markdown: "{{a}}" } })
      assert.strictEqual((yield* call("POST", "/brands", { body: { id: "acme", ...whole } })).status, 200)
      const replaced = yield* call("PUT", "/brands/acme", { body: of(faults["footer.markdown"]) })
      assert.strictEqual(replaced.status, 400)
    }))

  it.effect("a snippet that is no template is refused by its path, and one that names itself is not", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const of = (value: string) => ({
        name: "Acme",
        snippets: { items: [{ name: "hi", format: "handlebars", value: "{{> hi}}" }, { name: "bye", value }] }
      })
      const said = "snippets.items[1].value: The template is malformed at character 1: a tag does not end"
      const [made, inTenant] = [
        yield* call("POST", "/brands", { body: of("{{") }),
        yield* call("PUT", "/tenants/t", { body: { name: "T", brand: of("{{") } })
      ]
      assert.deepStrictEqual([made.status, made.body], [400, refusal(said)])
      assert.deepStrictEqual([inTenant.status, inTenant.body], [400, refusal(`brand.${said}`)])
      assert.strictEqual((yield* call("POST", "/brands", { body: { id: "acme", ...of("{{a}}") } })).status, 200)
      assert.strictEqual((yield* call("PUT", "/brands/acme", { body: of("{{") })).status, 400)
    }))

  it.effect("texts that take longer to read than one mail may are refused, though each alone may be had", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const text = `{{and${" a".repeat(2_040)}}}`.repeat(40)
      const made = (email: object) => call("POST", "/brands", { body: { name: "Acme", settings: { email } } })
      const several = { head: { content: text }, footer: { content: text, markdown: text } }
      assert.strictEqual((yield* made(several)).status, 200)
      const more = yield* made({ ...several, templateOverride: { header: text } })
      const said = "settings.email.templateOverride.header: The content looks through more than 8388608 characters"
      assert.deepStrictEqual([more.status, more.body], [400, refusal(said)])
    }))

  it.effect("an id is minted, and a taken one is a conflict that no retry resolves", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      const minted = yield* call("POST", "/brands", { body: { id: null, name: "Minted" } })
      const { id } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(minted.body)
      assert.match(id, /^bnd_/)
      const again = yield* call("POST", "/brands", { body: { id, name: "Again" } })
      assert.deepStrictEqual([again.status, again.body, again.headers.get("x-should-retry")], [
        409,
        refusal(`Brand ${id} already exists`),
        "false"
      ])
    }))

  it.effect("the default of several and one that a template names are not deleted", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      for (const id of ["first", "second"]) yield* call("POST", "/brands", { body: { id, name: id } })
      const first = yield* call("DELETE", "/brands/first")
      assert.deepStrictEqual([first.status, first.body], [
        409,
        refusal("Brand first is the default brand and cannot be deleted")
      ])
      const notification = (id: string) => ({
        notification: {
          name: "Welcome",
          tags: [],
          brand: { id },
          subscription: null,
          routing: null,
          content: { version: "2022-01-01", elements: [] }
        }
      })
      const unknown = yield* call("POST", "/notifications", { body: notification("none") })
      assert.deepStrictEqual([unknown.status, unknown.body], [400, refusal("Brand none not found")])
      assert.strictEqual((yield* call("POST", "/notifications", { body: notification("second") })).status, 201)
      const second = yield* call("DELETE", "/brands/second")
      assert.deepStrictEqual([second.status, second.body, second.headers.get("x-should-retry")], [
        409,
        refusal("Brand second is used by a template and cannot be deleted"),
        "false"
      ])
    }))

  it.effect("P10: an environment has brands of its own", () =>
    Effect.gen(function*() {
      const { call } = yield* serve
      yield* call("POST", "/brands", { body: { id: "acme", name: "Acme" } })
      assert.strictEqual((yield* call("GET", "/brands/acme", { key: "pk_test_a" })).status, 404)
      assert.strictEqual((yield* call("DELETE", "/brands/acme", { key: "pk_test_a" })).status, 404)
    }))

  it.effect.each([
    [{}, "name"],
    [{ name: 5 }, "name"],
    [{ name: "" }, "name"],
    [{ name: "A", id: "" }, "id"],
    [{ name: "A", settings: [] }, "settings"],
    [{ name: "A", settings: { colors: { primary: 5 } } }, "settings.colors.primary"],
    [{ name: "A", settings: { email: { header: { logo: { href: 1 } } } } }, "settings.email.header.logo.href"],
    [{ name: "A", snippets: { items: {} } }, "snippets.items"]
  ])(
    "%j is 400 and names the field",
    ([body, path]) =>
      Effect.gen(function*() {
        const { call } = yield* serve
        const answer = yield* call("POST", "/brands", { body })
        assert.strictEqual(answer.status, 400)
        assert.include(answer.text, `${path}: `)
      })
  )
})
