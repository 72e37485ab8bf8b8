import { records } from "#test/parity/RecordsStory.ts"
import type { BrandDraft } from "#schemas/Brand.ts"
import type { Template } from "#schemas/Template.ts"
import { Brands } from "#src/content/Brands.ts"
import { Submissions } from "#src/content/Submissions.ts"
import { Templates } from "#src/content/Templates.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { type Command, Made, pages, type Story } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect } from "effect"

const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()
const text = ({ from }: Chooser) => from(["n", "é", "\u0000", "\ud800", "x".repeat(500)])
const page = ({ from }: Chooser) => from([1, 2, 3, 100])

/** What messages say, and what decides how they go; most of it under ids that each store makes. */
export const content: Story = ({ scope }) => {
  const { audit, catalogue, ofTenant, translations } = records(scope)
  /** The id of something that was made before, by the number that it has in both stores. */
  const someId = ({ below }: Chooser, kind: string) => {
    const n = below(9)
    return n === 8 ? Effect.succeed("none") : Effect.map(Made, (made) => made.of(kind, n))
  }
  const say = <A, E, R extends Effect.Services<Command["run"]>>(
    said: unknown,
    run: Effect.Effect<A, E, R>
  ): Command => ({ said, run })
  const template = (c: Chooser) => {
    const [brand, topic, strategy] = [c.below(3), c.below(3), c.below(3)]
    const [name, words, publish] = [c.from(["n", "é"]), text(c), c.below(2) === 0]
    const alias = c.from([undefined, null, "a", "A", "é", "e\u0301", "\u{1f984}"])
    const [brandId, topicId, strategyId] = [someId(c, "bnd"), someId(c, "pt"), someId(c, "rs")]
    return Effect.gen(function*() {
      const template: Template = {
        name,
        tags: ["a"],
        brand: brand === 0 ? { id: yield* brandId } : null,
        subscription: topic === 0 ? { topic_id: yield* topicId } : null,
        routing: strategy === 0 ? { strategy_id: yield* strategyId } : null,
        content: { version: "2022-01-01", elements: [{ type: "text", content: words, id: "el_1" }] }
      }
      return { template, alias, publish }
    })
  }
  const templates = (c: Chooser): Command => {
    const [id, draft, limit] = [someId(c, "nt"), template(c), page(c)]
    const snapshot = c.from<"draft" | "published" | number>(["draft", "published", 1, 2, 9])
    const with_ = <A, E>(said: string, use: (templates: Templates["Service"], id: string) => Effect.Effect<A, E>) =>
      say(
        [said, snapshot, limit],
        Effect.gen(function*() {
          return yield* use(yield* Templates, yield* id)
        })
      )
    return c.from([
      () => say("create template", Effect.flatMap(draft, (draft) => Templates.use((_) => _.create(scope, draft)))),
      () => with_("get template", (_, id) => _.get(scope, id, snapshot)),
      () =>
        say(
          "replace template",
          Effect.gen(function*() {
            const [one, what] = [yield* id, yield* draft]
            return yield* Templates.use((_) => _.replace(scope, one, what))
          })
        ),
      () =>
        with_(
          "edit",
          (_, id) => _.editContent(scope, id, (content) => Effect.succeed({ ...content, elements: [] }), limit === 1)
        ),
      () => with_("archive template", (_, id) => _.archive(scope, id)),
      () => with_("publish", (_, id) => _.publish(scope, id, limit === 1 ? undefined : snapshot)),
      () => with_("versions", (_, id) => pages((cursor) => _.versions(scope, id, { limit, cursor }))),
      () => {
        const [alias, strategyId] = [maybe(c, () => c.from(["a", "A", "é"])), maybe(c, () => someId(c, "rs"))]
        return say(
          ["templates", alias, limit],
          Effect.gen(function*() {
            const strategy = strategyId === undefined ? undefined : yield* strategyId
            const templates = yield* Templates
            return yield* pages((cursor) => templates.list(scope, { limit, cursor, alias, strategyId: strategy }))
          })
        )
      },
      () => with_("resolve", (_, id) => _.resolve(scope, id, limit === 1 ? "draft" : "published")),
      () => {
        const alias = c.from(["a", "A", "é", "e\u0301"])
        return say(
          ["resolve", alias],
          Templates.use((_) => _.resolve(scope, alias, limit === 1 ? "draft" : "published"))
        )
      }
    ])()
  }
  const brandDraft = (c: Chooser): BrandDraft => ({
    name: c.from(["b", "é"]),
    settings: c.from([undefined, null, {}, { colors: { primary: "#fff", "a\u0000": null } }, { x: "\ud800" }]),
    snippets: c.from([undefined, null, {}, { items: [{ name: "n", value: "\u0000" }] }])
  })
  const brands = (c: Chooser): Command => {
    const own = c.from(["b", "B", "é", "e\u0301", " b"])
    const [id, draft, limit] = [c.below(2) === 0 ? Effect.succeed(own) : someId(c, "bnd"), brandDraft(c), page(c)]
    const with_ = <A, E>(said: string, use: (brands: Brands["Service"], id: string) => Effect.Effect<A, E>) =>
      say(
        [said, own, draft, limit],
        Effect.gen(function*() {
          return yield* use(yield* Brands, yield* id)
        })
      )
    return c.from([
      () => with_("create brand", (_) => _.create(scope, limit === 1 ? undefined : own, draft)),
      () => with_("get brand", (_, id) => _.get(scope, id)),
      () => with_("replace brand", (_, id) => _.replace(scope, id, draft)),
      () => with_("remove brand", (_, id) => _.remove(scope, id)),
      () => with_("brands", (_) => pages((cursor) => _.list(scope, { limit, cursor }))),
      () => with_("resolve brand", (_, id) => _.resolve(scope, id)),
      () => with_("default brand", (_) => _.fallback(scope))
    ])()
  }
  const strategies = (c: Chooser): Command => {
    const [id, limit] = [someId(c, "rs"), page(c)]
    const what = {
      name: c.from(["s", "é"]),
      description: c.from([undefined, null, "\u0000"]),
      routing: { method: "single" as const, channels: ["email"] }
    }
    const with_ = <A, E>(said: string, use: (strategies: Strategies["Service"], id: string) => Effect.Effect<A, E>) =>
      say(
        [said, what, limit],
        Effect.gen(function*() {
          return yield* use(yield* Strategies, yield* id)
        })
      )
    return c.from([
      () => with_("create strategy", (_) => _.create(scope, what)),
      () => with_("get strategy", (_, id) => _.get(scope, id)),
      () => with_("replace strategy", (_, id) => _.replace(scope, id, what)),
      () => with_("archive strategy", (_, id) => _.archive(scope, id)),
      () => with_("strategies", (_) => pages((cursor) => _.list(scope, { limit, cursor }))),
      () => with_("resolve strategy", (_, id) => _.resolve(scope, id))
    ])()
  }
  const submissions = (c: Chooser): Command => {
    const [templateId, id] = [someId(c, "nt"), someId(c, "sub")]
    const checks = Array.from({ length: c.below(4) }, () => ({
      id: c.from(["a", "A", "\u0000"]),
      type: "custom" as const,
      status: c.from(["PENDING", "RESOLVED"] as const)
    }))
    const with_ = <A, E>(
      said: string,
      use: (submissions: Submissions["Service"], template: string, id: string) => Effect.Effect<A, E>
    ) =>
      say(
        [said, checks],
        Effect.gen(function*() {
          return yield* use(yield* Submissions, yield* templateId, yield* id)
        })
      )
    return c.from([
      () => with_("submit", (_, template) => _.submit(scope, template)),
      () => with_("checks", (_, template, id) => _.checks(scope, template, id)),
      () => with_("put checks", (_, template, id) => _.putChecks(scope, template, id, checks)),
      () => with_("withdraw", (_, template, id) => _.withdraw(scope, template, id))
    ])()
  }
  const first = (kind: number) => (c: Chooser): Command => {
    const one: Chooser = { below: () => 0, from: ([one]) => one }
    const drafted = template({ ...one, below: () => 1 })
    return [
      () => say("create template", Effect.flatMap(drafted, (draft) => Templates.use((_) => _.create(scope, draft)))),
      () =>
        say(
          "create strategy",
          Strategies.use((_) => _.create(scope, { name: "s", routing: { method: "single", channels: [] } }))
        ),
      () => say("create section", PreferenceCatalogue.use((_) => _.createSection(scope, { name: "s" }))),
      () =>
        say(
          "create topic",
          Effect.gen(function*() {
            const section = (yield* Made).of("ps", 0)
            return yield* PreferenceCatalogue.use((_) =>
              _.createTopic(scope, section, { name: "t", default_status: "OPTED_IN" })
            )
          })
        ),
      () => say("create brand", Brands.use((_) => _.create(scope, undefined, { name: "b" }))),
      () =>
        say(
          "submit",
          Effect.gen(function*() {
            const id = (yield* Made).of("nt", 0)
            return yield* Submissions.use((_) => _.submit(scope, id))
          })
        )
    ][kind]?.() ?? templates(c)
  }
  let told = 0
  const themes = [
    [templates, templates, brands, strategies],
    [catalogue, templates, submissions],
    [ofTenant, translations, audit, brands]
  ] as const
  return (c) => told < 6 ? first(told++)(c) : c.from(themes[scope % 3] ?? themes[0])(c)
}
