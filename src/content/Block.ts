import type { Inline } from "#src/content/Inline.ts"

/** One rendered element, the same for every channel that will show it. */
export type Block =
  | {
    readonly _tag: "Paragraph"
    readonly style: "text" | "h1" | "h2" | "h3" | "subtext"
    readonly align: string
    readonly inlines: ReadonlyArray<Inline>
  }
  | { readonly _tag: "Quote"; readonly inlines: ReadonlyArray<Inline> }
  | { readonly _tag: "Action"; readonly content: string; readonly href: string }
  | { readonly _tag: "Divider" }
