import type { Inline } from "#src/content/Inline.ts"
import type { Schema } from "effect"

export type Align = "left" | "center" | "right" | "full"

export const styles = ["text", "h1", "h2", "h3", "subtext"] as const
export type Style = (typeof styles)[number]

/** One rendered element, the same for every channel that will show it. Empty texts and `undefined` are what was not said. */
export type Block =
  | {
    readonly _tag: "Paragraph"
    readonly style: Style
    readonly align: Align | undefined
    readonly inlines: ReadonlyArray<Inline>
  }
  | {
    readonly _tag: "Quote"
    readonly style: Style
    readonly align: Align | undefined
    readonly border: string | undefined
    readonly blocks: ReadonlyArray<Block>
  }
  | {
    readonly _tag: "Action"
    readonly content: string
    readonly href: string
    readonly align: Align
    readonly isLink: boolean
    readonly background: string | undefined
  }
  | {
    readonly _tag: "Image"
    readonly src: string
    readonly href: string
    readonly alt: string
    readonly align: Align | undefined
    readonly width: string | undefined
  }
  | { readonly _tag: "Divider"; readonly color: string | undefined }
  | { readonly _tag: "Code"; readonly text: string }
  /** The author's own HTML, data in it escaped for where it stands. */
  | { readonly _tag: "Html"; readonly html: string }
  /** An element in the form of the chat platform that it is for, as its author's program made it. */
  | { readonly _tag: "Native"; readonly json: Schema.JsonObject }
  | { readonly _tag: "List"; readonly ordered: boolean; readonly start: number; readonly blocks: ReadonlyArray<Block> }
  | { readonly _tag: "Item"; readonly background: string | undefined; readonly blocks: ReadonlyArray<Block> }
  | { readonly _tag: "Columns"; readonly blocks: ReadonlyArray<Block> }
  | { readonly _tag: "Column"; readonly width: string | undefined; readonly blocks: ReadonlyArray<Block> }

/** A paragraph that only says something. */
export const paragraph = (inlines: ReadonlyArray<Inline>, style: Style = "text", align?: Align): Block => ({
  _tag: "Paragraph",
  style,
  align,
  inlines
})
