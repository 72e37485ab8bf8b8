import type { Frame, Framed } from "#src/content/Frame.ts"
import { withoutNul } from "#src/content/Plain.ts"
import { isTemplate } from "#src/content/template/Tags.ts"

/**
 * A page that is cut where each mail fills it, in a slot or with the variables of a template: `holes`, in their order.
 * Neither the page nor what fills it keeps a NUL: to look for one in whole mails would copy each of them.
 */
export interface Cut<Slot extends string> {
  readonly frame: Frame
  readonly holes: ReadonlyArray<
    | { readonly _tag: "Slot"; readonly slot: Slot }
    | { readonly _tag: "Template"; readonly text: string }
  >
}

/** The marker of a slot in a page that is not cut yet. */
export const mark = (slot: string): string => `%%tidings:${slot}%%`

/** Cuts a page at the markers of these slots, and around texts with variables. `after`: what follows a filled slot. */
export const cut = <Slot extends string>(
  page: string,
  slots: ReadonlyArray<Slot>,
  after: Partial<Readonly<Record<Slot, string>>> = {}
): Cut<Slot> => {
  const frame: Array<string> = [""]
  const holes: Array<Cut<Slot>["holes"][number]> = []
  for (const [index, text] of withoutNul(page).split(new RegExp(mark(`(${slots.join("|")})`))).entries()) {
    const slot = index % 2 === 1 ? slots.find((known) => known === text) : undefined
    if (slot === undefined && !isTemplate(text)) {
      frame.push(`${frame.pop() ?? ""}${text}`)
      continue
    }
    holes.push(slot === undefined ? { _tag: "Template", text } : { _tag: "Slot", slot })
    frame.push(slot === undefined ? "" : after[slot] ?? "")
  }
  return { frame, holes }
}

/** Fills the slots of a page; `write` fills in the variables of its own texts. */
export const fill = <Slot extends string>(
  { frame, holes }: Cut<Slot>,
  filled: Readonly<Record<Slot, string>>,
  write: (template: string) => string
): Framed => ({
  frame,
  own: holes.map((hole) => withoutNul(hole._tag === "Slot" ? filled[hole.slot] : write(hole.text)))
})
