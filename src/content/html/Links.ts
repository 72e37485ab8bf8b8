import { isDoubtful } from "#src/content/html/Entities.ts"
import { escape } from "#src/content/html/Escape.ts"
import { attributeOf, scan } from "#src/content/html/Tags.ts"

/** The attribute by which a link asks not to be followed through a redirect. SendGrid heeds it too. */
export const untracked = "clicktracking=\"off\""

/** A link of a mail. `isTracked`: unless it asks not to be. */
export interface Link {
  readonly href: string
  readonly isTracked: boolean
}

/**
 * A tag in whose place a vendor puts something else, such as `{{{pm:unsubscribe}}}`, `<%url%>`, `*|URL|*`, `[[url]]` or
 * `%unsubscribe_url%`: it has to reach the vendor as it was written.
 */
const merged = /\{|<%|\*\||\[\[|%%|%(?![\da-f]{2})[a-z][\w.]*%/i

/** White space around an address, as HTML has it: others are part of it. */
const around = /^[\t\n\f\r ]+|(?<![\t\n\f\r ])[\t\n\f\r ]+$/g

/** Links that are changed of one mail: no author writes more, and who does may have meant the reader ill. */
const most = 10_000

/**
 * The HTML with other addresses in its links, as `change` has them; `undefined` leaves one as it is. Nothing else of it
 * changes. What only Outlook reads, in conditional comments, stays too, and so do links of which only a vendor or a
 * browser can tell where they lead.
 */
export const withLinks = (html: string, change: (link: Link) => string | undefined): string => {
  let changed = ""
  let done = 0
  let left = most
  scan(html, {
    tag: (name, isEnd, from, to) => {
      const href = name === "a" && !isEnd ? attributeOf(html, from, to, "href") : undefined
      if (href === undefined || href.value === "" || left === 0) return
      if (merged.test(href.value) || isDoubtful(html.slice(href.from, href.to))) return
      const isTracked = attributeOf(html, from, to, "clicktracking")?.value.toLowerCase() !== "off"
      const other = change({ href: href.value.replace(around, ""), isTracked })
      if (other === undefined) return
      left--
      changed += `${html.slice(done, href.from)}"${escape(other)}"`
      done = href.to
    }
  })
  return changed + html.slice(done)
}
