import { escape } from "#src/content/html/Escape.ts"

/** HTML that is known to be safe: it was written here, and every value in it was escaped. */
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

/**
 * Builds HTML from a template: its literal text stays as written, and every text among the values is escaped, for use
 * in an element or in a quoted attribute.
 */
export const html = (source: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(source.map((text, index) => `${text}${written(parts[index])}`).join(""))
