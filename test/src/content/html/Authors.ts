import { Budget } from "#src/content/Budget.ts"
import { contexts } from "#src/content/html/Contexts.ts"

/** The author's HTML with these values where its `§` are. */
export const written = (html: string, ...values: ReadonlyArray<string>): string => {
  const writer = contexts(new Budget())
  return html.split("§").map((text, at) => (at === 0 ? "" : writer.value(values[at - 1] ?? "")) + writer.text(text))
    .join("")
}

/** What is written of a value at the end of the author's HTML. */
export const last = (html: string, value: string, ...before: ReadonlyArray<string>): string =>
  written(html, ...before, value).slice(written(html.slice(0, -1), ...before).length)
