/** Browsers drop control characters and outer white space before they look at the scheme. */
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

/** An address that a reader may follow: `http`, `https`, `mailto`, `tel`, `sms` or relative; nothing for `javascript:`, `data:` and the like. */
export const safeHref = (href: string): string | undefined => safe(href, followed)

/** An address that an image may have: `http`, `https`, `cid` (an attachment) or relative. */
export const safeSource = (src: string): string | undefined => safe(src, shown)

/** Whether a text that may still go on is, or could become, an address with a scheme that runs code. */
export const beginsUnsafely = (address: string): boolean => {
  const bare = meaningfulOf(address)
  return scheme.test(bare) ? !followed.test(bare) && !shown.test(bare) : /^(?:javascript|vbscript|data)$/i.test(bare)
}
