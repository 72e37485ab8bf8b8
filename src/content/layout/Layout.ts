import { filler } from "#src/content/html/Preheader.ts"
import { type Cut, cut as cutAt, mark as markOf } from "#src/content/layout/Cut.ts"

/** The slots of a layout, which each mail fills with HTML. */
const slots = ["lang", "dir", "direction", "align", "title", "preheader", "body", "footer"] as const
type Slot = (typeof slots)[number]

/** The page around a mail's body, for mails that have a preheader and for those that have none. */
export interface Layout {
  readonly spoken: Cut<Slot>
  readonly silent: Cut<Slot>
}

/** The marker of a slot in HTML that is not cut yet. */
export const mark = (slot: Slot): string => markOf(slot)

/** Cuts HTML at the markers of its slots. */
export const cut = (html: string): Layout => ({
  spoken: cutAt(html, slots, { preheader: filler }),
  silent: cutAt(html, slots)
})
