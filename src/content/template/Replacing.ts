import type { Budget } from "#src/content/Budget.ts"
import type { Writer } from "#src/content/template/Run.ts"

/** What a text is replaced by: the author's own, or a value. */
export interface Replacement {
  readonly text: string
  readonly isOwn: boolean
}

const escaped = /\\([nrt]|[^A-Za-z0-9\s])/g
const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** The text that `replace-all` looks for: a backslash names a line end or a tab, or keeps what follows it. */
export const sought = (said: string): string => said.replace(escaped, (_, mark: string) => controls[mark] ?? mark)

/**
 * A writer for which a text is replaced wherever it stands in one piece. What is written around it, and in its place, is
 * escaped as ever: a value that is put in does not become markup. Each replacement is paid for.
 */
export const replacing = (to: Writer, search: string, { isOwn, text: put }: Replacement, budget: Budget): Writer => {
  const through = (write: (text: string) => string) => (text: string): string => {
    let at = text.indexOf(search)
    if (at < 0) return write(text)
    let from = 0
    let made = ""
    for (; at >= 0; at = text.indexOf(search, from)) {
      if (!budget.step() || !budget.write(put.length)) return made
      if (at > from) made += write(text.slice(from, at))
      made += isOwn ? to.text(put) : to.value(put)
      from = at + search.length
    }
    return from < text.length ? made + write(text.slice(from)) : made
  }
  return { text: through(to.text), value: through(to.value) }
}
