import { isTemplate } from "#src/content/template/Tags.ts"

/** The places of a layout that a mail fills; each is HTML by then. */
export const slots = ["lang", "dir", "direction", "align", "title", "preheader", "body", "footer"] as const
export type Slot = (typeof slots)[number]

/** A page around a mail's body, cut at its slots. A text with variables is a template of its own. */
export type Layout = ReadonlyArray<
  | { readonly _tag: "Text"; readonly text: string; readonly isTemplate: boolean }
  | { readonly _tag: "Slot"; readonly slot: Slot }
>

/** How a slot is written before the layout is cut. */
export const mark = (slot: Slot): string => `%%tidings:${slot}%%`

const marks = new RegExp(`%%tidings:(${slots.join("|")})%%`)

/** Cuts HTML at the marks of its slots. */
export const cut = (html: string): Layout =>
  html.split(marks).flatMap((text, index): Layout => {
    const slot = index % 2 === 1 ? slots.find((known) => known === text) : undefined
    if (slot !== undefined) return [{ _tag: "Slot", slot }]
    return text === "" ? [] : [{ _tag: "Text", text, isTemplate: isTemplate(text) }]
  })

/** The page with its slots filled; `write` fills in the variables of a text that has some. */
export const fill = (
  layout: Layout,
  filled: Readonly<Record<Slot, string>>,
  write: (template: string) => string
): string =>
  layout.map((piece) => piece._tag === "Slot" ? filled[piece.slot] : piece.isTemplate ? write(piece.text) : piece.text)
    .join("")
