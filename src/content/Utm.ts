import type { JsonMap } from "#schemas/Optional.ts"

/** The parameters by which web analytics tell campaigns apart, as `metadata.utm` names them (api.md 2.3). */
const names = ["source", "medium", "campaign", "term", "content"] as const

/** Parameters for links, by their names in the address, such as `utm_source`. */
export type Utm = ReadonlyArray<readonly [name: string, value: string]>

const none: Utm = []

/** What these say together: the later win, one parameter at a time. What is neither text nor a number says nothing. */
export const of = (...said: ReadonlyArray<unknown>): Utm => {
  const maps = said.filter((one): one is JsonMap => typeof one === "object" && one !== null && !Array.isArray(one))
  if (maps.length === 0) return none
  return names.flatMap((name) => {
    const values = maps.map((map) => Object.hasOwn(map, name) ? map[name] : undefined)
    const value = values.findLast((one) => typeof one === "number" || (typeof one === "string" && one !== ""))
    return value === undefined ? [] : [[`utm_${name}`, String(value)] as const]
  })
}

const web = /^https?:\/\//i
const parts = /^([^?#]*)(\?[^#]*)?(#.*)?$/s

/**
 * The address of a page with the parameters that it does not have yet. The rest of it stays as it is, to the letter: it
 * may be signed. `undefined`: it is no address of a page, or has all of them.
 */
export const added = (href: string, utm: Utm): string | undefined => {
  const [, page = "", query = "", place = ""] = web.test(href) ? parts.exec(href) ?? [] : []
  if (page === "") return undefined
  const given = new URLSearchParams(query)
  const more = utm.filter(([name]) => !given.has(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
  if (more.length === 0) return undefined
  const before = query.length > 1 ? `${query}${query.endsWith("&") ? "" : "&"}` : "?"
  return `${page}${before}${more.join("&")}${place}`
}
