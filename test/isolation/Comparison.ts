import type { Ids } from "#test/isolation/World.ts"
import type { Answer } from "#test/support/Exchange.ts"

/** A path's parameters filled in; `undefined` for one that no world has. */
export const filled = (path: string, idOf: (key: string) => string | undefined): string | undefined => {
  const parts = path.split("/")
  const found = parts.map((part, index) => part.startsWith(":") ? idOf(`${parts[index - 1]}/${part}`) : part)
  return found.includes(undefined) ? undefined : found.map((part) => encodeURIComponent(part ?? "")).join("/")
}

/** An id of the same form that nobody has. */
export const nobodys = (id: string): string =>
  id.replace(/^1-.*/, "1-65000000-00000000000000000000000f").replace(/mk(\d+)mk$/, "no$1no")
    .replace(/^([a-z]+_).*/, "$100000000000000000000000000")

/** A reply without what differs from call to call. */
export const plain = ({ body, status }: Answer, ids: ReadonlyArray<string>) => ({
  status,
  body: ids.reduce((rest, id) => rest.replaceAll(JSON.stringify(id).slice(1, -1), "<id>"), body)
    .replaceAll(/\b\d{13}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|1-[0-9a-f]{8}-[0-9a-f]{24}|\b[a-z]{2,3}_[0-9a-z]{26}\b/g, "<made>")
})

/** What stands for a world in replies: the longer first, and none so short that it may stand in another by chance. */
export const known = (ids: Ids, ...more: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Object.values(ids), ...Object.values(ids).map(nobodys), ...more]
    .filter((id) => id.length > 4).toSorted((a, b) => b.length - a.length)
