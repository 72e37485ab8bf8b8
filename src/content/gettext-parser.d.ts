/** The part of gettext-parser that is used here; the package has no types of its own. */
declare module "gettext-parser" {
  interface Entry {
    readonly msgid: string
    readonly msgid_plural?: string
    readonly msgstr: ReadonlyArray<string>
    /** `flag`: what follows `#,`, on a line for each such comment. */
    readonly comments?: { readonly flag?: string }
  }
  export const po: {
    /** Throws on text that is not a PO file. */
    parse(text: string): {
      /** Absent where the text has no header entry. */
      readonly headers?: Readonly<Record<string, string>>
      /** By context (`""` for none), then by `msgid`; both may be any text. */
      readonly translations: Readonly<Record<string, Readonly<Record<string, Entry>>>>
    }
  }
}
