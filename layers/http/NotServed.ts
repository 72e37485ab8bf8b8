/**
 * What this server lacks, by the first segment of a path that the published client or its service's documentation has
 * (api.md, Annex A).
 */
const families: ReadonlyMap<string, string> = new Map([
  ["automations", "automations"],
  ["journeys", "journeys"],
  ["broadcasts", "broadcasts"],
  ["digests", "digests"],
  ["inbound", "inbound events"],
  ["events", "event mappings; a template's alias is one"],
  ["client", "browser clients' API"],
  ["q", "browser clients' API"]
])

const ofPath = (path: string): string | undefined =>
  path === "/send/list"
    ? "sends to a list by this path; POST /send takes a list_id"
    : families.get(path.split("/")[1] ?? "")

/**
 * The sentence for a path that a caller of the compatible service knows and this server lacks, so that nobody takes it
 * for a mistyped one; `undefined` for any other. `path` is without its query.
 */
export const sentence = (path: string): string | undefined => {
  const lacking = ofPath(path)
  return lacking === undefined ? undefined : `This server has no ${lacking}`
}
