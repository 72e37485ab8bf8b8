import { safeHref } from "#src/content/Href.ts"

/**
 * The address if chat platforms accept it: an absolute web address. With any other, they would refuse the whole
 * message.
 */
export const webAddress = (href: string, longest = 3_000): string | undefined => {
  const safe = safeHref(href)
  return safe !== undefined && safe.length <= longest && /^https?:\/\//i.test(safe) && URL.canParse(safe)
    ? safe
    : undefined
}
