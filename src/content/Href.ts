/** Characters that browsers drop before they look at the scheme: control characters and white space. */
const ignored = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\ufeff]/g
const scheme = /^[^/?#]*?:/
const followed = /^(?:https?|mailto|tel|sms):/i
const shown = /^(?:https?|cid):/i

/** An address without what browsers may drop before they look at its scheme. */
export const meaningfulOf = (address: string): string => address.replace(ignored, "")

const safe = (address: string, schemes: RegExp): string | undefined => {
  const bare = meaningfulOf(address)
  return bare === "" || (scheme.test(bare) && !schemes.test(bare)) ? undefined : address.trim()
}

/**
 * The address if a reader may follow it: `http`, `https`, `mailto`, `tel`, `sms` or relative; `undefined` for
 * `javascript:`, `data:` and the like.
 */
export const safeHref = (href: string): string | undefined => safe(href, followed)

/** The address if an image may have it: `http`, `https`, `cid` (an attachment) or relative. */
export const safeSource = (src: string): string | undefined => safe(src, shown)

/** Whether a text, of which more may follow, begins an address with a scheme that runs code, or could become one. */
export const beginsUnsafely = (address: string): boolean => {
  const bare = meaningfulOf(address)
  return scheme.test(bare) ? !followed.test(bare) && !shown.test(bare) : /^(?:javascript|vbscript|data)$/i.test(bare)
}
