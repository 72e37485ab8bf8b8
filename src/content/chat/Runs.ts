import type { Block } from "#src/content/Block.ts"
import { webAddress } from "#src/content/chat/Address.ts"
import { safeHref } from "#src/content/Href.ts"
import type { Emphasis, Inline } from "#src/content/Inline.ts"
import * as Plain from "#src/content/Plain.ts"

/** A stretch of a paragraph with everything that holds for it, for chat platforms that style stretches. */
export interface Run {
  readonly text: string
  readonly styles: ReadonlySet<Emphasis | "code">
  readonly href: string | undefined
}

/** Whether an address is one to follow that no link of a chat platform takes, `mailto` or `tel`: it stands behind its words. */
const isSpelledOut = (href: string): boolean => safeHref(href) !== undefined && webAddress(href) === undefined

/** What an action without a link says. */
export const spelledOut = (action: Extract<Block, { readonly _tag: "Action" }>): string =>
  Plain.text([action], { between: "", withActions: true, isLetter: false })

/** Inlines as runs: data stays text, since no platform reads marks in a run. Images are their words. */
export const runsOf = (inlines: ReadonlyArray<Inline>): ReadonlyArray<Run> => {
  // All that is open after each mark: of four kinds, however many marks there are.
  const open: Array<Run["styles"]> = []
  const runs: Array<Run> = []
  const within = (style: Emphasis | "code"): Run["styles"] => new Set([...open.at(-1) ?? [], style])
  const say = (text: string, href?: string, styles: Run["styles"] = open.at(-1) ?? new Set()): void => {
    if (text !== "") runs.push({ text, styles, href })
  }
  for (const piece of inlines) {
    switch (piece._tag) {
      case "Text":
        say(piece.text)
        break
      case "Code":
        say(piece.text, undefined, within("code"))
        break
      case "Link": {
        if (isSpelledOut(piece.href)) say(Plain.flow([piece]))
        else say(piece.text === "" ? piece.href : piece.text, safeHref(piece.href))
        break
      }
      case "Image":
        if (isSpelledOut(piece.href)) say(Plain.flow([piece]))
        else say(piece.alt, safeHref(piece.href))
        break
      case "Open":
        open.push(within(piece.emphasis))
        break
      case "Close":
        open.pop()
        break
      default:
    }
  }
  return runs
}
