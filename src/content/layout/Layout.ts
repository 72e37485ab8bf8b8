import { isTemplate } from "#src/content/template/Tags.ts"

/** The slots of a layout, which each mail fills with HTML. */
export const slots = ["lang", "dir", "direction", "align", "title", "preheader", "body", "footer"] as const
export type Slot = (typeof slots)[number]

/** The page around a mail's body, cut at its slots. A text with variables is a template. */
export type Layout = ReadonlyArray<
  | { readonly _tag: "Text"; readonly text: string; readonly isTemplate: boolean }
  | { readonly _tag: "Slot"; readonly slot: Slot }
>

/** The marker of a slot in HTML that is not cut yet. */
export const mark = (slot: Slot): string => `%%tidings:${slot}%%`

const marks = new RegExp(`%%tidings:(${slots.join("|")})%%`)

/** Cuts HTML at the markers of its slots. */
export const cut = (html: string): Layout =>
  html.split(marks).flatMap((text, index): Layout => {
    const slot = index % 2 === 1 ? slots.find((known) => known === text) : undefined
    if (slot !== undefined) return [{ _tag: "Slot", slot }]
    return text === "" ? [] : [{ _tag: "Text", text, isTemplate: isTemplate(text) }]
  })

/** Fills a layout's slots; `write` fills in the variables of its texts. */
export const fill = (
  layout: Layout,
  filled: Readonly<Record<Slot, string>>,
  write: (template: string) => string
): string =>
  layout.map((piece) => piece._tag === "Slot" ? filled[piece.slot] : piece.isTemplate ? write(piece.text) : piece.text)
    .join("")
