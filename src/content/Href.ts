/** Characters that browsers drop before they look at the scheme: control characters and white space. */
const ignored = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\ufeff]/g
const scheme = /^[^/?#]*?:/
const followed = /^(?:https?|mailto|tel|sms):/i

/** The address of a page within an app, which has a scheme of its own. */
const deep = /^[a-z][a-z0-9+.-]*:\/\//i

/** A host with a port but without a scheme: a developer's own machine. */
const hosted = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):\d{1,5}(?=[/?#]|$)/i

/** Schemes that run code, or lead to files, to what is inside of others, or to tools of the system. */
const denied = [
  "javascript",
  "vbscript",
  "livescript",
  "applescript",
  "mocha",
  "data",
  "blob",
  "file",
  "filesystem",
  "smb",
  "jar",
  "mhtml",
  "mk",
  "its",
  "ms-its",
  "shell",
  "search",
  "search-ms",
  "ms-msdt"
]

/** Schemes of a browser's own pages and extensions. */
const inner =
  /^(?:about|view-source|res|resource|wyciwyg|devtools|(?:chrome|edge|brave|opera|vivaldi|moz|safari|ms-browser)(?:-.*)?)$/

const shown = /^(?:https?|cid):/i

/** An address without what browsers may drop before they look at its scheme. */
export const meaningfulOf = (address: string): string => address.replace(ignored, "")

const isDenied = (bare: string): boolean => {
  const name = bare.slice(0, bare.indexOf(":")).toLowerCase()
  return denied.includes(name) || inner.test(name)
}

const isFollowed = (bare: string): boolean =>
  followed.test(bare) || ((deep.test(bare) || hosted.test(bare)) && !isDenied(bare))

const isShown = (bare: string): boolean => shown.test(bare)

const safe = (address: string, isSafe: (bare: string) => boolean): string | undefined => {
  const bare = meaningfulOf(address)
  return bare === "" || (scheme.test(bare) && !isSafe(bare)) ? undefined : address.trim()
}

/**
 * The address if a reader may follow it: `http`, `https`, `mailto`, `tel`, `sms`, that of an app (`myapp://orders/1`), a
 * host with a port, or relative; `undefined` for `javascript:`, `data:` and the like, with slashes too.
 */
export const safeHref = (href: string): string | undefined => safe(href, isFollowed)

/** The address if an image may have it: `http`, `https`, `cid` (an attachment) or relative. */
export const safeSource = (src: string): string | undefined => safe(src, isShown)

/** Whether a text, of which more may follow, begins an address with a scheme that runs code, or could become one. */
export const beginsUnsafely = (address: string): boolean => {
  const bare = meaningfulOf(address)
  return scheme.test(bare) ? !isFollowed(bare) && !isShown(bare) : /^(?:javascript|vbscript|data)$/i.test(bare)
}
