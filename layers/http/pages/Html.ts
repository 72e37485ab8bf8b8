import { escape } from "#src/content/html/Escape.ts"

/** HTML that is known to be good: it was written here, and what came into it was escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | ReadonlyArray<Html> | string | undefined

const written = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Html) return part.text
  return typeof part === "string" ? escape(part) : part.map(({ text }) => text).join("")
}

/** HTML of the source around parts: every text among them is escaped, for an element and a quoted attribute alike. */
export const html = (source: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(source.map((text, index) => `${text}${written(parts[index])}`).join(""))
