import type { JsonMap } from "#schemas/Optional.ts"

/** The parameters by which web analytics tell campaigns apart, as `metadata.utm` names them (api.md 2.3). */
const names = ["source", "medium", "campaign", "term", "content"] as const

/** Parameters for links, by their names in the address, such as `utm_source`. */
export type Utm = ReadonlyArray<readonly [name: string, value: string]>

const none: Utm = []

/** Characters of a parameter, and of an address with all of them: a longer one does not survive every mail client. */
const longest = { value: 500, address: 2_000 }

const says = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && value !== "" && value.length <= longest.value)

/** What these say together: the later win, one parameter at a time. What is neither a number nor a text of a sensible length says nothing. */
export const of = (...said: ReadonlyArray<unknown>): Utm => {
  const maps = said.filter((one): one is JsonMap => typeof one === "object" && one !== null && !Array.isArray(one))
  if (maps.length === 0) return none
  return names.flatMap((name) => {
    const values = maps.map((map) => Object.hasOwn(map, name) ? map[name] : undefined)
    const value = values.findLast(says)
    return value === undefined ? [] : [[`utm_${name}`, String(value)] as const]
  })
}

const web = /^https?:\/\//i
const parts = /^([^?#]*)(\?[^#]*)?(#.*)?$/s

/** The signatures of addresses of storages and of their networks, which no longer hold with one more parameter. */
const signed = /[?&](?:x-(?:amz|goog)-signature|signature)=/i

/**
 * The address of a page with the parameters that it does not have yet. The rest of it stays as it is, to the letter.
 * `undefined`: it is no address of a page, has all of them, is signed, or would be too long.
 */
export const added = (href: string, utm: Utm): string | undefined => {
  const [, page = "", query = "", place = ""] = web.test(href) ? parts.exec(href) ?? [] : []
  if (page === "" || signed.test(query)) return undefined
  const given = new URLSearchParams(query)
  const more = utm.filter(([name]) => !given.has(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
  if (more.length === 0) return undefined
  const before = query.length > 1 ? `${query}${query.endsWith("&") ? "" : "&"}` : "?"
  const added = `${page}${before}${more.join("&")}${place}`
  return added.length > longest.address ? undefined : added
}
