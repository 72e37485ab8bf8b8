import { Scope } from "#schemas/Scope.ts"
import type { TopicOverride } from "#src/people/UserPreferences.ts"
import { dom } from "#test/src/content/Dom.ts"
import { owner, start } from "#test/layers/http/pages/Readers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Schema } from "effect"

const oneClick = { body: "List-Unsubscribe=One-Click" }

const out = (topicId: string): TopicOverride => ({ topicId, setting: { status: "OPTED_OUT" } })

const hostile = [
  "<script>alert(1)</script>",
  "\"><img src=x onerror=alert(1)>",
  "' autofocus onfocus='alert(1)",
  "</title></style></main><form action=https://evil.example>",
  "<!--",
  "&lt;b&gt;",
  "javascript:alert(1)"
] as const

const textOf = (html: string): string => html.replaceAll(/<style>[^]*?<\/style>|<[^>]*>/g, " ").replaceAll(/\s+/g, " ")

describe("/t/unsubscribe/:token", () => {
  it.live("GET and HEAD, a thousand times, change nothing", () =>
    Effect.gen(function*() {
      const { ask, said, tokens, topic, writes } = yield* start
      const topicId = yield* topic()
      const paths = [
        `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId })}`,
        `/t/preferences/${tokens.preferences(owner)}`
      ]
      const queries = ["", "?action=unsubscribe", "?List-Unsubscribe=One-Click", `?topic=${topicId}`]
      const statuses = yield* Effect.forEach(
        Array.from({ length: 1_000 }, (_, index) => index),
        (index) =>
          Effect.map(
            ask(index % 2 === 0 ? "GET" : "HEAD", `${paths[index % 3 === 0 ? 1 : 0]}${queries[index % 4]}`),
            ({ status }) => status
          ),
        { concurrency: 16 }
      )
      assert.deepStrictEqual([...new Set(statuses)], [200])
      assert.deepStrictEqual([yield* said(), writes()], [[], 0])
    }).pipe(Effect.scoped), 120_000)

  it.live("one click opts out, and again; the form does the same, and takes it back", () =>
    Effect.gen(function*() {
      const { ask, said, say, tokens, topic } = yield* start
      const topicId = yield* topic()
      const path = `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId })}`
      const form = (action: string) => ask("POST", path, { body: `action=${action}` })
      assert.include((yield* ask("GET", path)).text, "Unsubscribe?")
      for (
        const body of [
          oneClick,
          oneClick,
          { body: "--b\r\n\r\nOne-Click\r\n--b--", type: "multipart/form-data; boundary=b" },
          {}
        ]
      ) {
        const { status, text } = yield* ask("POST", path, body)
        assert.deepStrictEqual([status, yield* said()], [200, [out(topicId)]])
        assert.include(textOf(text), "You no longer get messages about News .")
      }
      assert.include((yield* ask("GET", path)).text, "Subscribe again")
      for (const _ of [1, 2]) {
        assert.include((yield* form("resubscribe")).text, "You are subscribed again")
        assert.deepStrictEqual((yield* said()).map(({ setting }) => setting.status), ["OPTED_IN"])
      }
      yield* form("unsubscribe")
      assert.deepStrictEqual(yield* said(), [out(topicId)])
      // Channels that were chosen are there again for who comes back.
      yield* say(topicId, { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] })
      yield* ask("POST", path, oneClick)
      yield* form("resubscribe")
      assert.deepStrictEqual((yield* said())[0]?.setting, {
        status: "OPTED_IN",
        has_custom_routing: true,
        custom_routing: ["sms"]
      })
    }).pipe(Effect.scoped))

  it.live("one click takes away no channels that are chosen at the same time", () =>
    Effect.gen(function*() {
      const { ask, meanwhile, said, say, tokens, topic } = yield* start
      const topicId = yield* topic()
      const chosen = { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] } as const
      yield* meanwhile(say(topicId, chosen))
      yield* ask("POST", `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId })}`, oneClick)
      assert.deepStrictEqual(yield* said(), [{ topicId, setting: { ...chosen, status: "OPTED_OUT" } }])
    }).pipe(Effect.scoped))

  it.live("who opted out by notification or category is told so, and comes back", () =>
    Effect.gen(function*() {
      const { ask, said, sayOld, section, tokens, topic } = yield* start
      const topicId = yield* topic()
      const path = `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId })}`
      for (
        const preferences of [
          { notifications: { [topicId]: { status: "OPTED_OUT" } } },
          { categories: { [section.id]: { status: "OPTED_OUT" } } }
        ] as const
      ) {
        yield* sayOld(preferences)
        assert.include((yield* ask("GET", path)).text, "You are unsubscribed")
      }
      yield* ask("POST", path, { body: "action=resubscribe" })
      assert.deepStrictEqual((yield* said()).map(({ setting }) => setting.status), ["OPTED_IN"])
      assert.include((yield* ask("GET", path)).text, "Unsubscribe?")
    }).pipe(Effect.scoped))

  it.live("of a message in a tenant it is the preference in the tenant", () =>
    Effect.gen(function*() {
      const { ask, said, tokens, topic } = yield* start
      const topicId = yield* topic()
      const linkOf = (tenantId?: string) => `/t/unsubscribe/${tokens.unsubscribe({ ...owner, tenantId, topicId })}`
      yield* ask("POST", linkOf("acme"), oneClick)
      assert.deepStrictEqual([yield* said("acme"), yield* said()], [[out(topicId)], []])
      const { text } = yield* ask("GET", linkOf("acme"))
      assert.include(text, "You are unsubscribed")
      assert.include(text, `href="../preferences/${tokens.preferences({ ...owner, tenantId: "acme" })}"`)
      assert.include((yield* ask("GET", linkOf())).text, "Unsubscribe?")
    }).pipe(Effect.scoped))

  it.live("a required topic stays, and one sentence says so; a tenant's too", () =>
    Effect.gen(function*() {
      const { ask, said, tenants, tokens, topic } = yield* start
      const required = yield* topic({ name: "Bills", default_status: "REQUIRED" })
      const inTenant = yield* topic()
      yield* tenants.replace(owner.scope, "acme", { name: "Acme" })
      yield* tenants.setPreference(owner.scope, "acme", inTenant, { status: "REQUIRED" })
      const links = [{ ...owner, topicId: required }, { ...owner, tenantId: "acme", topicId: inTenant }]
      for (const [index, link] of links.entries()) {
        const path = `/t/unsubscribe/${tokens.unsubscribe(link)}`
        for (const [method, status, body] of [["GET", 200, {}], ["POST", 400, oneClick]] as const) {
          const answer = yield* ask(method, path, body)
          assert.strictEqual(answer.status, status)
          const name = index === 0 ? "Bills" : "News"
          assert.include(
            textOf(answer.text),
            `You cannot unsubscribe from ${name} , because its messages are required.`
          )
          assert.notInclude(answer.text, "<form")
        }
      }
      assert.deepStrictEqual([yield* said(), yield* said("acme")], [[], []])
    }).pipe(Effect.scoped))

  it.live("an archived topic can still be left", () =>
    Effect.gen(function*() {
      const { ask, catalogue, said, section, tokens, topic } = yield* start
      const topicId = yield* topic()
      yield* catalogue.archiveTopic(owner.scope, section.id, topicId)
      const path = `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId })}`
      assert.strictEqual((yield* ask("POST", path, oneClick)).status, 200)
      assert.deepStrictEqual(yield* said(), [out(topicId)])
    }).pipe(Effect.scoped))

  it.live("P10: forged, cut and foreign links, and those of another environment, are one plain 404 and change nothing here", () =>
    Effect.gen(function*() {
      const { ask, foreign, said, tokens, topic, writes } = yield* start
      const topicId = yield* topic()
      const good = tokens.unsubscribe({ ...owner, topicId })
      const elsewhere = { ...owner, scope: Scope.make(2), topicId }
      const broken = [
        good.slice(0, -1),
        good.slice(5),
        `${good}A`,
        "preview",
        "%00",
        "x".repeat(14_000),
        foreign.unsubscribe({ ...owner, topicId }),
        tokens.preferences(owner),
        tokens.unsubscribe(elsewhere),
        tokens.unsubscribe({ ...owner, topicId: "pt_none" })
      ]
      const pages = new Set<string>()
      for (const token of broken.slice(0, 4).concat(broken.slice(5))) {
        for (const method of ["GET", "POST"]) {
          const answer = yield* ask(method, `/t/unsubscribe/${token}`, method === "POST" ? oneClick : {})
          assert.strictEqual(answer.status, 404, token)
          pages.add(answer.text)
        }
      }
      for (const token of ["preview", foreign.preferences(owner), good]) {
        for (const method of ["GET", "POST"]) {
          const answer = yield* ask(
            method,
            `/t/preferences/${token}`,
            method === "POST" ? { body: `topic=${topicId}` } : {}
          )
          assert.strictEqual(answer.status, 404, token)
          pages.add(answer.text)
        }
      }
      assert.strictEqual(pages.size, 1)
      assert.deepStrictEqual([yield* said(), writes()], [[], 0])
    }).pipe(Effect.scoped))

  it.live("the form of a broken link is not read, however long it is", () =>
    Effect.gen(function*() {
      const { ask, tokens, topic } = yield* start
      const form = { body: `action=resubscribe&padding=${"x".repeat(6 * 1_024 * 1_024)}` }
      const good = `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId: yield* topic() })}`
      const statuses = [yield* ask("POST", "/t/unsubscribe/preview", form), yield* ask("POST", good, form)]
      assert.deepStrictEqual(statuses.map(({ status }) => status), [404, 413])
    }).pipe(Effect.scoped))

  it.live.prop(
    "whatever a topic, a section and a brand are called, they are text",
    { name: Schema.Union([Schema.String, Schema.Literals(hostile)]) },
    ({ name }) =>
      Effect.gen(function*() {
        const pages = Effect.fnUntraced(function*(name: string, color: string) {
          const { ask, brands, catalogue, tokens, topic } = yield* start
          const topicId = yield* topic({ name, description: name, allowed_preferences: ["channel_preferences"] })
          const { id } = yield* catalogue.createSection(owner.scope, { name })
          yield* catalogue.createTopic(owner.scope, id, { name, default_status: "REQUIRED", description: name })
          yield* brands.create(owner.scope, "b", { name, settings: { colors: { primary: color } } })
          yield* catalogue.publish(owner.scope, { brandId: "b", heading: name, description: name })
          const paths = [
            `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId })}`,
            `/t/preferences/${tokens.preferences(owner)}`
          ]
          return yield* Effect.forEach(paths, (path) =>
            Effect.map(ask("GET", path), ({ text }) => ({
              // Sections of one millisecond are in any order.
              elements: dom(text).elements.map(({ attributes, name }) => [name, ...attributes.keys()].join(" "))
                .toSorted(),
              style: dom(text).code,
              isNamed: dom(text).text.includes(name.trim())
            })))
        })
        const named = yield* pages(`x${name.replaceAll(/[^\u0020-\ud7ff]/g, "")}`, `red}</style>${name}`)
        assert.deepStrictEqual(named, yield* pages("x", "#1d4ed8"))
        assert.isTrue(named.every(({ isNamed }) => isNamed))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 20 } }
  )

  it.live(
    "reliability.md 2.6: a reader waits for a silent store no longer than any caller, whatever was asked",
    () =>
      Effect.gen(function*() {
        const { ask, hang, meanwhile, tokens, topic } = yield* start
        const topicId = yield* topic()
        const [link, page] = [tokens.unsubscribe({ ...owner, topicId }), tokens.preferences(owner)]
        const isWriting = yield* Latch.make()
        yield* meanwhile(Effect.andThen(isWriting.open, Effect.never))
        const written = yield* Effect.forkChild(ask("POST", `/t/unsubscribe/${link}`, oneClick))
        yield* isWriting.await
        yield* hang
        const asked = [`/t/unsubscribe/${link}`, `/t/preferences/${page}`].flatMap((path) =>
          ["GET", "POST"].map((method) => ask(method, path))
        )
        const answers = [...yield* Effect.all(asked, { concurrency: "unbounded" }), yield* Fiber.join(written)]
        assert.deepStrictEqual(answers.map(({ status }) => status), [503, 503, 503, 503, 503])
      }).pipe(Effect.scoped),
    10_000
  )

  it.live("pages load and run nothing, are kept by nobody, and tell nobody their address", () =>
    Effect.gen(function*() {
      const { ask, leave, tokens, topic } = yield* start
      const path = `/t/unsubscribe/${tokens.unsubscribe({ ...owner, topicId: yield* topic() })}`
      const good = yield* ask("GET", path)
      yield* leave
      const away = yield* ask("POST", path, oneClick)
      assert.strictEqual(away.status, 503)
      assert.match(away.headers.get("retry-after") ?? "", /^\d+$/)
      for (const { headers } of [good, away, yield* ask("GET", "/t/unsubscribe/x")]) {
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.match(
          headers.get("content-security-policy") ?? "",
          /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/
        )
        assert.deepInclude(Object.fromEntries(headers), {
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "x-robots-tag": "noindex, nofollow"
        })
      }
    }).pipe(Effect.scoped))
})
