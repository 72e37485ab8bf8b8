import type { Block } from "#src/content/Block.ts"
import { webAddress } from "#src/content/chat/Address.ts"
import { safeHref } from "#src/content/Href.ts"
import type { Emphasis, Inline } from "#src/content/Inline.ts"
import * as Plain from "#src/content/Plain.ts"

/** A stretch of text with one style and link, for chat platforms that style stretches. */
export interface Run {
  readonly text: string
  readonly styles: ReadonlySet<Emphasis | "code">
  readonly href: string | undefined
}

/**
 * Whether an address is safe to follow but not accepted as a link by chat platforms (`mailto`, `tel`): it is written
 * behind the link's text.
 */
const isSpelledOut = (href: string): boolean => safeHref(href) !== undefined && webAddress(href) === undefined

/** The text of an action that cannot be a link. */
export const spelledOut = (action: Extract<Block, { readonly _tag: "Action" }>): string =>
  Plain.text([action], { between: "", withActions: true, isLetter: false })

/** Inlines as runs. Data stays text, since no platform parses markup in a run. Images become their alternative text. */
export const runsOf = (inlines: ReadonlyArray<Inline>): ReadonlyArray<Run> => {
  // The styles that are open after each mark. There are only four kinds, however many marks there are.
  const open: Array<Run["styles"]> = []
  const runs: Array<Run> = []
  const within = (...styles: ReadonlyArray<Emphasis | "code">): Run["styles"] =>
    new Set([...open.at(-1) ?? [], ...styles])
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
        else if (piece.label === undefined || piece.text === "") say(piece.text || piece.href, safeHref(piece.href))
        else for (const run of runsOf(piece.label)) say(run.text, safeHref(piece.href), within(...run.styles))
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
