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
 * The HTML with other addresses in its links, as `change` has them; `undefined` leaves one as it is. Nothing else of it
 * changes. What only Outlook reads, in conditional comments, stays too.
 */
export const withLinks = (html: string, change: (link: Link) => string | undefined): string => {
  let changed = ""
  let done = 0
  scan(html, {
    tag: (name, isEnd, from, to) => {
      const href = name === "a" && !isEnd ? attributeOf(html, from, to, "href") : undefined
      if (href === undefined || href.value === "") return
      const isTracked = attributeOf(html, from, to, "clicktracking")?.value.toLowerCase() !== "off"
      const other = change({ href: href.value.trim(), isTracked })
      if (other === undefined) return
      changed += `${html.slice(done, href.from)}"${escape(other)}"`
      done = href.to
    }
  })
  return changed + html.slice(done)
}
