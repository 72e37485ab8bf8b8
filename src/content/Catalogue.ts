import * as PluralForms from "#src/content/PluralForms.ts"
import { po } from "gettext-parser"
import { Effect, Schema } from "effect"

/** The text is not a .po file: 400. */
export class NoCatalogue extends Schema.TaggedError<NoCatalogue>()("NoCatalogue", { detail: Schema.String }) {}

/** How a key is looked up: its `msgctxt`, and the number that selects a plural form. */
export interface Lookup {
  readonly context?: string | undefined
  readonly count?: number | undefined
}

/** The texts of one locale. */
export interface Catalogue {
  /** The translation of a key (`msgid`); `undefined` where there is none, an empty one, or one marked as fuzzy. */
  readonly text: (key: string, lookup?: Lookup) => string | undefined
}

/**
 * Finds the keywords of a .po file, and skips what may only look like them: strings, and comments other than obsolete
 * entries (`#~`).
 */
const token = /#\r*~|[#|][^\n]*|"(?:[^"\\]|\\[^])*"?|'(?:[^'\\]|\\[^])*'?|msgid_plural|msgid|msgstr/g

/** The most plural forms of one entry. No language has more than six. */
const mostForms = 100

/** Whether an entry has too many plural forms: the parser copies all earlier forms for each one. */
const hasTooManyForms = (text: string): boolean => {
  let forms = 0
  for (const [found] of text.matchAll(token)) {
    if (found === "msgid") forms = 0
    if (found === "msgstr" && ++forms > mostForms) return true
  }
  return false
}

/**
 * Whether an entry is marked as a guess (`#, fuzzy`): tools put it there for a text that is like another one, and until
 * a translator confirms it, it is no translation.
 */
const isFuzzy = (flags: string | undefined): boolean =>
  flags?.split(/[,\n]/).some((flag) => flag.trim() === "fuzzy") === true

const catalogueOf = (text: string): Catalogue => {
  const { headers, translations } = po.parse(text)
  const formOf = PluralForms.parse(headers?.["Plural-Forms"])
  const entries = new Map(
    Object.entries(translations).flatMap(([context, byKey]) =>
      Object.values(byKey).flatMap(({ comments, msgid, msgstr }) =>
        isFuzzy(comments?.flag) ? [] : [[JSON.stringify([context, msgid]), msgstr] as const]
      )
    )
  )
  return {
    text: (key, { context = "", count } = {}) => {
      // The entry with the empty key is the file's header.
      const forms = key === "" ? undefined : entries.get(JSON.stringify([context, key]))
      const form = forms?.[count === undefined ? 0 : formOf(count)] ?? forms?.[0]
      return form === "" ? undefined : form
    }
  }
}

/** Several catalogues as one: the first that has a text for the key answers. */
export const layered = ([first, ...others]: ReadonlyArray<Catalogue>): Catalogue | undefined => {
  if (first === undefined || others.length === 0) return first
  const next = layered(others)
  return { text: (key, lookup) => first.text(key, lookup) ?? next?.text(key, lookup) }
}

/** The most characters of a .po file. Parsing them takes a third of a second, in which nobody else is served. */
const longest = 1_048_576

/** Parses a .po file (GNU gettext manual, "The Format of PO Files"). */
export const parse = (text: string): Effect.Effect<Catalogue, NoCatalogue> => {
  const refused = (detail: string) => Effect.fail(new NoCatalogue({ detail }))
  if (text.length > longest) return refused(`The text has more than ${longest} characters`)
  if (hasTooManyForms(text)) return refused(`An entry has more than ${mostForms} plural forms`)
  return Effect.try({
    try: () => catalogueOf(text),
    catch: (cause) =>
      new NoCatalogue({ detail: cause instanceof SyntaxError ? cause.message : "The text is no .po file" })
  })
}
