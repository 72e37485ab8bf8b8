import type { Inline } from "#src/content/Inline.ts"
import type { Schema } from "effect"

export type Align = "left" | "center" | "right" | "full"

export const styles = ["text", "h1", "h2", "h3", "subtext"] as const
export type Style = (typeof styles)[number]

/**
 * One rendered element, the same for every channel. An empty text or `undefined` means that the author did not set it.
 */
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
    /** Its label, or its address where it has none: never empty. */
    readonly content: string
    readonly href: string
    readonly align: Align
    readonly isLink: boolean
    readonly background: string | undefined
    /** Its author does not want to hear of who follows it. */
    readonly isUntracked?: boolean
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
  /** The author's own HTML; data in it is escaped for where it stands. */
  | { readonly _tag: "Html"; readonly html: string }
  /** An element in a chat platform's native form, as the author's program made it. */
  | { readonly _tag: "Native"; readonly json: Schema.JsonObject }
  | { readonly _tag: "List"; readonly ordered: boolean; readonly start: number; readonly blocks: ReadonlyArray<Block> }
  | { readonly _tag: "Item"; readonly background: string | undefined; readonly blocks: ReadonlyArray<Block> }
  | { readonly _tag: "Columns"; readonly blocks: ReadonlyArray<Block> }
  | { readonly _tag: "Column"; readonly width: string | undefined; readonly blocks: ReadonlyArray<Block> }

/** A paragraph of plain style, unless another is given. */
export const paragraph = (inlines: ReadonlyArray<Inline>, style: Style = "text", align?: Align): Block => ({
  _tag: "Paragraph",
  style,
  align,
  inlines
})
