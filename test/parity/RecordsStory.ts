import type { Scope } from "#schemas/Scope.ts"
import type { PreferenceTopic } from "#schemas/Preferences.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Translations } from "#src/content/Translations.ts"
import { PreferenceCatalogue } from "#src/people/PreferenceCatalogue.ts"
import { Tenants } from "#src/people/Tenants.ts"
import { Audit } from "#src/reports/Audit.ts"
import { type Command, Made, pages } from "#test/parity/Both.ts"
import type { Chooser } from "#test/src/content/Choices.ts"
import { Effect } from "effect"

const maybe = <A>({ below }: Chooser, value: () => A): A | undefined => below(2) === 0 ? undefined : value()
const text = ({ from }: Chooser) => from(["n", "é", "\u0000", "\ud800", "x".repeat(500)])
const page = ({ from }: Chooser) => from([1, 2, 3, 100])

/** Templates of tenants, translations, the catalogue of preferences and the audit. */
export const records = (scope: Scope) => {
  let deeds = 0
  /** The id of something that was made before, by the number that it has in both stores. */
  const someId = ({ below }: Chooser, kind: string) => {
    const n = below(9)
    return n === 8 ? Effect.succeed("none") : Effect.map(Made, (made) => made.of(kind, n))
  }
  const say = <A, E, R extends Effect.Services<Command["run"]>>(
    said: unknown,
    run: Effect.Effect<A, E, R>
  ): Command => ({ said, run })
  const ofTenant = (c: Chooser): Command => {
    const [tenant, id, limit, publish] = [
      c.from(["t", "T", "é"]),
      c.from(["x", "X", "é", "nt/1", "\u{1f984}"]),
      page(c),
      c.below(2) === 0
    ]
    const version = c.from<"latest" | "published" | number>(["latest", "published", 1, 2, 9])
    const words = text(c)
    const what = {
      content: { version: "2022-01-01", elements: [{ type: "text" as const, content: words, id: "el_1" }] }
    }
    const with_ = <A, E>(said: string, use: (templates: TenantTemplates["Service"]) => Effect.Effect<A, E>) =>
      say([said, tenant, id, version, limit, publish], TenantTemplates.use(use))
    return c.from([
      () =>
        say(
          ["tenant", tenant],
          Tenants.use((_) => _.replace(scope, tenant, { name: tenant, brand_id: publish && limit === 1 ? "b" : null }))
        ),
      () => say(["no tenant", tenant], Tenants.use((_) => _.remove(scope, tenant))),
      () => with_("put", (_) => _.put(scope, tenant, id, what, publish)),
      () => with_("put", (_) => _.put(scope, tenant, id, what, publish)),
      () => with_("publish", (_) => _.publish(scope, tenant, id, version)),
      () => with_("get", (_) => _.get(scope, tenant, id, version)),
      () => with_("list", (_) => pages((cursor) => _.list(scope, tenant, { limit, cursor }))),
      () => with_("remove", (_) => _.remove(scope, tenant, id)),
      () => with_("resolve", (_) => _.resolve(scope, tenant, id, publish ? "draft" : "published"))
    ])()
  }
  const translations = (c: Chooser): Command => {
    const [domain, locale] = [
      c.from(["default", "default", "Default"]),
      c.from(["de", "de-AT", "de_at", "DE", "zh-Hant-TW", "zh-Hant", "İ", "i"])
    ]
    const po = c.from([`msgid "a"\nmsgstr "${"é"}"\n`, "", "\u0000\ud800", "msgid"])
    return c.from([
      () => say(["po", domain, locale], Translations.use((_) => _.get(scope, domain, locale))),
      () => say(["put po", domain, locale, po], Translations.use((_) => _.put(scope, domain, locale, po))),
      () => say(["find po", domain, locale], Translations.use((_) => _.find(scope, domain, locale)))
    ])()
  }
  const catalogue = (c: Chooser): Command => {
    const [sectionId, topicId] = [someId(c, "ps"), someId(c, "pt")]
    const section = { name: text(c), description: c.from([undefined, null, "é"]) }
    const topic: PreferenceTopic = {
      name: text(c),
      default_status: c.from(["OPTED_IN", "REQUIRED"]),
      topic_data: c.from([undefined, null, {}, { "a\u0000": 1 }])
    }
    const shown = { brandId: maybe(c, () => "b"), heading: maybe(c, () => "é"), description: undefined }
    const with_ = <A, E>(
      said: string,
      use: (catalogue: PreferenceCatalogue["Service"], section: string, topic: string) => Effect.Effect<A, E>
    ) =>
      say(
        [said, section, topic],
        Effect.gen(function*() {
          return yield* use(yield* PreferenceCatalogue, yield* sectionId, yield* topicId)
        })
      )
    return c.from([
      () => with_("sections", (_) => _.sections(scope)),
      () => with_("section", (_, section) => _.section(scope, section)),
      () => with_("create section", (_) => _.createSection(scope, section)),
      () => with_("replace section", (_, id) => _.replaceSection(scope, id, section)),
      () => with_("archive section", (_, id) => _.archiveSection(scope, id)),
      () => with_("topic", (_, section, id) => _.topic(scope, section, id)),
      () => with_("create topic", (_, section) => _.createTopic(scope, section, topic)),
      () => with_("create topic", (_, section) => _.createTopic(scope, section, topic)),
      () => with_("replace topic", (_, section, id) => _.replaceTopic(scope, section, id, topic)),
      () => with_("archive topic", (_, section, id) => _.archiveTopic(scope, section, id)),
      () => with_("publish page", (_) => _.publish(scope, shown)),
      () => with_("published page", (_) => _.published(scope)),
      () => with_("resolve topic", (_, _section, id) => _.resolve(scope, id))
    ])()
  }
  const audit = (c: Chooser): Command => {
    const limit = page(c)
    const deed = { type: "t", source: "s", target: `${++deeds}`, actor: c.from([{ id: "k" }, { id: "k", email: "é" }]) }
    return c.from([
      () => say(["deed", deed], Audit.use((_) => _.record(scope, deed))),
      () => say(["deeds", limit], pages((cursor) => Audit.use((_) => _.list(scope, { limit, cursor })))),
      () =>
        say(
          "undone",
          Effect.result(
            Audit.use((_) => _.together(Effect.andThen(_.record(scope, deed), Effect.fail({ _tag: "No" }))))
          )
        ),
      () => say("no deed", Audit.use((_) => _.get(scope, "none")))
    ])()
  }
  return { audit, catalogue, ofTenant, translations }
}
