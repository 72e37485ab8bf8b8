import { PreferenceChannel, type TopicSetting } from "#schemas/Preferences.ts"
import { owner, start } from "#test/layers/http/pages/Readers.ts"
import { dom } from "#test/src/content/Dom.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** The form as a browser that changed nothing would send it. */
const formOf = (html: string): URLSearchParams =>
  new URLSearchParams(
    dom(html).elements.flatMap(({ attributes, name }) =>
      name !== "input" || attributes.has("disabled") ||
        (attributes.get("type") === "checkbox" && !attributes.has("checked"))
        ? []
        : [[attributes.get("name") ?? "", attributes.get("value") ?? ""]]
    )
  )

const without = (form: URLSearchParams, name: string, value: string): URLSearchParams => {
  const rest = new URLSearchParams(form)
  rest.delete(name, value)
  return rest
}

const opened = Effect.gen(function*() {
  const world = yield* start
  const path = `/t/preferences/${world.tokens.preferences(owner)}`
  const form = Effect.map(world.ask("GET", path), ({ text }) => formOf(text))
  const save = (fields: URLSearchParams) => world.ask("POST", path, { body: fields.toString() })
  return { ...world, path, form, save }
})

describe("/t/preferences/:token", () => {
  it.live("saving what is shown writes nothing, so that it goes on following its defaults", () =>
    Effect.gen(function*() {
      const { form, said, save, topic } = yield* opened
      yield* topic({ allowed_preferences: ["channel_preferences"], routing_options: ["email", "sms"] })
      yield* topic({ default_status: "OPTED_OUT" })
      yield* topic({ default_status: "REQUIRED" })
      const { status, text } = yield* save(yield* form)
      assert.strictEqual(status, 200)
      assert.include(text, "Your choices are saved.")
      assert.deepStrictEqual(yield* said(), [])
    }).pipe(Effect.scoped))

  it.live("what is changed is written, once and again the same", () =>
    Effect.gen(function*() {
      const { form, said, save, topic } = yield* opened
      const news = yield* topic()
      const offers = yield* topic({ default_status: "OPTED_OUT" })
      const fields = without(yield* form, "in", news)
      fields.append("in", offers)
      for (const _ of [1, 2]) {
        yield* save(fields)
        assert.sameDeepMembers([...yield* said()], [
          { topicId: news, setting: { status: "OPTED_OUT" } },
          { topicId: offers, setting: { status: "OPTED_IN" } }
        ])
        assert.deepStrictEqual((yield* form).getAll("in"), [offers])
      }
    }).pipe(Effect.scoped))

  it.live("channels are chosen among those offered; the last one taken away is opting out", () =>
    Effect.gen(function*() {
      const { form, said, save, topic } = yield* opened
      const id = yield* topic({ allowed_preferences: ["channel_preferences"], routing_options: ["email", "sms"] })
      const plain = yield* topic({ routing_options: ["email", "sms"] })
      const all = yield* form
      assert.deepStrictEqual(all.getAll("channel"), [`${id} email`, `${id} sms`])
      const hers = without(all, "channel", `${id} email`)
      // Neither what is not offered nor what has no choice.
      hers.append("channel", `${id} push`)
      hers.append("channel", `${plain} email`)
      yield* save(hers)
      const setting: TopicSetting = { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] }
      assert.deepStrictEqual(yield* said(), [{ topicId: id, setting }])
      assert.deepStrictEqual((yield* form).getAll("channel"), [`${id} sms`])
      yield* save(without(yield* form, "channel", `${id} sms`))
      assert.deepStrictEqual(yield* said(), [{ topicId: id, setting: { ...setting, status: "OPTED_OUT" } }])
      yield* save(all)
      assert.deepStrictEqual(yield* said(), [{
        topicId: id,
        setting: { ...setting, custom_routing: ["email", "sms"] }
      }])
    }).pipe(Effect.scoped))

  it.live("a topic that names no channels lets her choose among all", () =>
    Effect.gen(function*() {
      const { form, said, save, topic } = yield* opened
      const id = yield* topic({ allowed_preferences: ["channel_preferences"] })
      const all = yield* form
      assert.deepStrictEqual(all.getAll("channel"), PreferenceChannel.literals.map((channel) => `${id} ${channel}`))
      yield* save(without(all, "channel", `${id} push`))
      const rest = PreferenceChannel.literals.filter((channel) => channel !== "push")
      assert.deepStrictEqual((yield* said())[0]?.setting.custom_routing, rest)
    }).pipe(Effect.scoped))

  it.live("a section without a topic is not shown", () =>
    Effect.gen(function*() {
      const { ask, catalogue, path, topic } = yield* opened
      yield* topic()
      yield* catalogue.createSection(owner.scope, { name: "Nothing here" })
      const { text } = yield* ask("GET", path)
      assert.include(text, "<h2>Account</h2>")
      assert.notInclude(text, "Nothing here")
    }).pipe(Effect.scoped))

  it.live("who changes nothing about channels takes none away that are chosen at the same time", () =>
    Effect.gen(function*() {
      const { form, meanwhile, said, save, say, topic } = yield* opened
      const id = yield* topic({ allowed_preferences: ["channel_preferences"], routing_options: ["email", "sms"] })
      const chosen: TopicSetting = { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["sms"] }
      const fields = without(yield* form, "in", id)
      yield* meanwhile(say(id, chosen))
      yield* save(fields)
      assert.deepStrictEqual(yield* said(), [{ topicId: id, setting: { ...chosen, status: "OPTED_OUT" } }])
    }).pipe(Effect.scoped))

  it.live("a choice among other channels than those offered is not taken for none", () =>
    Effect.gen(function*() {
      const { form, said, save, say, topic } = yield* opened
      const id = yield* topic({ allowed_preferences: ["channel_preferences"], routing_options: ["email"] })
      const setting: TopicSetting = { status: "OPTED_IN", has_custom_routing: true, custom_routing: ["push"] }
      yield* say(id, setting)
      yield* save(yield* form)
      assert.deepStrictEqual(yield* said(), [{ topicId: id, setting }])
    }).pipe(Effect.scoped))

  it.live("what she said by notification or category holds until she says otherwise here", () =>
    Effect.gen(function*() {
      const { form, said, save, sayOld, section, topic } = yield* opened
      const news = yield* topic({ allowed_preferences: ["channel_preferences"], routing_options: ["email", "sms"] })
      const offers = yield* topic()
      yield* sayOld({
        notifications: { [news]: { channel_preferences: [{ channel: "sms" }] } },
        categories: { [section.id]: { status: "OPTED_OUT" } }
      })
      const shown = yield* form
      assert.deepStrictEqual([shown.getAll("in"), shown.getAll("channel")], [[], [`${news} sms`]])
      yield* save(shown)
      assert.deepStrictEqual(yield* said(), [])
      shown.append("in", offers)
      yield* save(shown)
      assert.deepStrictEqual((yield* said()).map(({ setting, topicId }) => [topicId, setting.status]), [
        [offers, "OPTED_IN"]
      ])
      assert.deepStrictEqual((yield* form).getAll("in"), [offers])
    }).pipe(Effect.scoped))

  it.live("a required topic stays whatever is sent, and so does everything that the page does not show", () =>
    Effect.gen(function*() {
      const { catalogue, form, said, save, section, topic } = yield* opened
      const required = yield* topic({ default_status: "REQUIRED" })
      const gone = yield* topic()
      yield* catalogue.publish(owner.scope, { brandId: "none", heading: "Yours", description: undefined })
      const later = yield* topic()
      yield* catalogue.archiveTopic(owner.scope, section.id, gone)
      assert.deepStrictEqual((yield* form).getAll("topic"), [required])
      for (const id of [required, gone, later, "pt_none"]) yield* save(new URLSearchParams({ topic: id }))
      yield* save(new URLSearchParams("List-Unsubscribe=One-Click"))
      yield* save(new URLSearchParams())
      assert.deepStrictEqual(yield* said(), [])
    }).pipe(Effect.scoped))

  it.live("it shows what was published, under its heading, in the look of its brand", () =>
    Effect.gen(function*() {
      const { ask, brands, catalogue, path, section, topic } = yield* opened
      const id = yield* topic({ description: "Once a week" })
      yield* brands.create(owner.scope, "tea", { name: "Tea & Co", settings: { colors: { primary: "#0f766e" } } })
      assert.include((yield* ask("GET", path)).text, "Notification preferences")
      yield* catalogue.publish(owner.scope, { brandId: "tea", heading: "Your mail", description: "As you like it" })
      yield* catalogue.replaceTopic(owner.scope, section.id, id, { name: "Draft", default_status: "OPTED_OUT" })
      const { text } = yield* ask("GET", path)
      const { code, text: seen } = dom(text)
      for (const part of ["Tea & Co", "Your mail", "As you like it", "Account", "News", "Once a week"]) {
        assert.include(seen, part)
      }
      assert.include(code, "--accent:#0f766e")
      assert.notInclude(seen, "Draft")
      // Of a status holds what holds for sends.
      assert.deepStrictEqual(formOf(text).getAll("in"), [])
      yield* catalogue.publish(owner.scope, { brandId: "gone", heading: undefined, description: undefined })
      assert.include((yield* ask("GET", path)).text, "Tea &amp; Co")
      // Another brand has the default one's colors where it says nothing of them, as in mails.
      yield* brands.create(owner.scope, "cup", { name: "Cup", settings: {} })
      yield* catalogue.publish(owner.scope, { brandId: "cup", heading: undefined, description: undefined })
      const cup = dom((yield* ask("GET", path)).text)
      assert.include(cup.code, "--accent:#0f766e")
      assert.include(cup.text, "Cup")
      yield* catalogue.publish(owner.scope, { brandId: "none", heading: undefined, description: undefined })
      assert.notInclude((yield* ask("GET", path)).text, "Tea")
    }).pipe(Effect.scoped))

  it.live("in a tenant it is the user's word in the tenant", () =>
    Effect.gen(function*() {
      const { ask, said, topic, tokens } = yield* opened
      const id = yield* topic()
      const path = `/t/preferences/${tokens.preferences({ ...owner, tenantId: "acme" })}`
      yield* ask("POST", path, { body: `topic=${id}` })
      assert.deepStrictEqual([(yield* said("acme"))[0]?.setting.status, yield* said()], ["OPTED_OUT", []])
    }).pipe(Effect.scoped))
})
