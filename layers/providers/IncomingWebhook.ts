/**
 * The URL of a platform's incoming webhook as it is called, at `base` if there is one; `undefined` if it is none of the
 * platform's `hosts`: who names another host may post there as a webhook of their own.
 */
export const at = (webhook: string, hosts: RegExp, base: string | undefined): string | undefined => {
  const url = URL.parse(webhook)
  if (url === null || url.protocol !== "https:" || !hosts.test(url.host)) return undefined
  return `${base?.replace(/\/+$/, "") ?? url.origin}${url.pathname}${url.search}`
}
