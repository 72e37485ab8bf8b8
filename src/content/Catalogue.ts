import * as PluralForms from "#src/content/PluralForms.ts"
import { po } from "gettext-parser"
import { Effect, Schema } from "effect"

/** The text is no .po file: 400. */
export class NoCatalogue extends Schema.TaggedError<NoCatalogue>()("NoCatalogue", { detail: Schema.String }) {}

/** What a key is looked up with: its `msgctxt`, and the number that chooses among its plural forms. */
export interface Lookup {
  readonly context?: string | undefined
  readonly count?: number | undefined
}

/** The texts of one locale. */
export interface Catalogue {
  /** The translation of a key (`msgid`); `undefined` where there is none, or an empty one. */
  readonly text: (key: string, lookup?: Lookup) => string | undefined
}

const catalogueOf = (text: string): Catalogue => {
  const { headers, translations } = po.parse(text)
  const formOf = PluralForms.parse(headers?.["Plural-Forms"])
  const entries = new Map(
    Object.entries(translations).flatMap(([context, byKey]) =>
      Object.values(byKey).map(({ msgid, msgstr }) => [JSON.stringify([context, msgid]), msgstr] as const)
    )
  )
  return {
    text: (key, { context = "", count } = {}) => {
      // The entry of the empty key is the file's header.
      const forms = key === "" ? undefined : entries.get(JSON.stringify([context, key]))
      const form = forms?.[count === undefined ? 0 : formOf(count)] ?? forms?.[0]
      return form === "" ? undefined : form
    }
  }
}

/** The text of the first of them that has one. */
export const layered = ([first, ...others]: ReadonlyArray<Catalogue>): Catalogue | undefined => {
  if (first === undefined || others.length === 0) return first
  const next = layered(others)
  return { text: (key, lookup) => first.text(key, lookup) ?? next?.text(key, lookup) }
}

/** Reads the text of a .po file (GNU gettext manual, "The Format of PO Files"). */
export const parse = (text: string): Effect.Effect<Catalogue, NoCatalogue> =>
  Effect.try({
    try: () => catalogueOf(text),
    catch: (cause) =>
      new NoCatalogue({ detail: cause instanceof SyntaxError ? cause.message : "The text is no .po file" })
  })
