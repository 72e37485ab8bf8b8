import type { Scope } from "#schemas/Scope.ts"
import type { Catalogue, NoCatalogue } from "#src/content/Catalogue.ts"
import { memo } from "#src/cache/Memo.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { Context, type Effect, Option, Schema } from "effect"

/** The only domain there is (api.md 23). */
export const defaultDomain = "default"

/** No such domain, or nothing stored for the locale: 404. */
export class TranslationNotFound extends Schema.TaggedError<TranslationNotFound>()("TranslationNotFound", {
  domain: Schema.String,
  locale: Schema.String
}) {}

/** The canonical spelling of a locale: `de_AT`, `de-at` and `de-AT` are the same. */
export const canonical = (locale: string): string => locale.replaceAll("_", "-").toLowerCase()

/** The languages whose codes were changed in 1989, and which Android and Java call by the old ones (ISO 639). */
const renamed: ReadonlyMap<string, string> = new Map(
  [["he", "iw"], ["id", "in"], ["yi", "ji"]].flatMap(([now = "", before = ""]) => [[now, before], [before, now]])
)

const shorter = (parts: ReadonlyArray<string>): ReadonlyArray<string> =>
  parts.map((_, index) => parts.slice(0, parts.length - index).join("-"))

/** Languages of several scripts, whose locales may be named with the script or without. */
const scripted: ReadonlySet<string> = new Set([
  "az",
  "bs",
  "ha",
  "kk",
  "ks",
  "ku",
  "mn",
  "pa",
  "sd",
  "sr",
  "tg",
  "uz",
  "zh"
])

const likely = Option.liftThrowable((tag: string) => new Intl.Locale(tag).maximize().script?.toLowerCase())

/** The script that a language is usually written in, in this country if one is given (CLDR, likely subtags). */
const scriptOf = (...tag: ReadonlyArray<string>): string | undefined => Option.getOrUndefined(likely(tag.join("-")))

const isScript = (part: string): boolean => /^[a-z]{4}$/.test(part)

/** The other ways to name a locale: with the script that goes without saying, or without it. */
const others = (language: string, [first = "", second = ""]: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (isScript(first)) return second !== "" && scriptOf(language, second) === first ? [`${language}-${second}`] : []
  const script = scripted.has(language) ? scriptOf(language, ...(first === "" ? [] : [first])) : undefined
  if (script === undefined) return []
  return first === "" ? [`${language}-${script}`] : [`${language}-${script}-${first}`, `${language}-${script}`]
}

const named = (language: string, rest: ReadonlyArray<string>): ReadonlyArray<string> =>
  rest.length === 0
    ? [language, ...others(language, rest)]
    : [...shorter([language, ...rest]).slice(0, -1), ...others(language, rest), language]

/**
 * The locales in which a locale's texts are looked up, best first: itself, then each shorter form (`zh-hant-tw`,
 * `zh-hant`, then `zh-tw`, by whose country the script goes without saying, `zh`), then the same with the language's
 * other code.
 */
export const fallbacks = memo({ entries: 256, characters: 16_384 }, (locale: string): ReadonlyArray<string> => {
  const [language = "", ...rest] = canonical(locale).split("-")
  const other = renamed.get(language)
  return [...named(language, rest), ...(other === undefined ? [] : named(other, rest))]
})

/** The workspace's translations (api.md 23): one .po file per domain and locale. */
export class Translations extends Context.Service<Translations, {
  /** The stored text of exactly this locale. */
  readonly get: (
    scope: Scope,
    domain: string,
    locale: string
  ) => Effect.Effect<string, TranslationNotFound | StoreUnavailable>
  /** Creates or replaces. */
  readonly put: (
    scope: Scope,
    domain: string,
    locale: string,
    po: string
  ) => Effect.Effect<void, NoCatalogue | TranslationNotFound | StoreUnavailable>
  /**
   * The texts for a recipient with this locale: each from the locale itself, or else from the nearest shorter form that
   * has it. Cheap, since every rendered message may ask: answers are cached, and a change counts at once on this node
   * and within 2 s on others. Lookups of one turn of the event loop share a statement.
   */
  readonly find: (
    scope: Scope,
    domain: string,
    locale: string
  ) => Effect.Effect<Option.Option<Catalogue>, StoreUnavailable>
}>()("tidings/Translations") {}
