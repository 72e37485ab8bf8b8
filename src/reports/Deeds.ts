/** What the workspace's managers change, by the first word of its path. Users' own data and sends are not among them. */
const nouns: Readonly<Record<string, string>> = {
  "audiences": "audience",
  "automations": "automation",
  "brands": "brand",
  "broadcasts": "broadcast",
  "journeys": "journey",
  "lists": "list",
  "notifications": "notification",
  "preferences": "preferences",
  "providers": "provider",
  "routing-strategies": "routing-strategy",
  "tenants": "tenant",
  "translations": "translation"
}

/** Last words of paths that are deeds of their own. */
const deeds: Readonly<Record<string, string>> = {
  publish: "published",
  restore: "restored",
  submissions: "submitted"
}

const verbs: Readonly<Record<string, string>> = { POST: "created", PUT: "updated", PATCH: "updated", DELETE: "deleted" }

/** Paths with one of these words ask, run or belong to users; nothing that is managed changes. */
const others = new Set(["cancel", "explain", "invoke", "preview", "subscriptions", "users"])

/** The path of what a deed was done to: `/notifications/:id/publish` does something to `/notifications/:id`. */
export const targetOf = (path: string): string => {
  const last = path.split("/").findLast((segment) => segment !== "") ?? ""
  return Object.hasOwn(deeds, last) ? path.replace(/\/[^/]+\/?$/, "") : path
}

/** The type of the audit event of a route (`PUT /notifications/:id/content`: `notification.content.updated`); `undefined`: it is none. */
export const typeOf = (method: string, path: string): string | undefined => {
  const segments = path.split("/").filter((segment) => segment !== "")
  const [root = "", ...words] = segments.filter((segment) => !segment.startsWith(":"))
  const noun = Object.hasOwn(nouns, root) ? nouns[root] : undefined
  const verb = verbs[method]
  if (noun === undefined || verb === undefined || words.some((word) => others.has(word))) return undefined
  // PUT /preferences/:recipient_id is a user's.
  if (root === "preferences" && words.length === 0) return undefined
  const last = words.at(-1) ?? ""
  const deed = Object.hasOwn(deeds, last) ? deeds[last] : undefined
  return [noun, ...(deed === undefined ? words : words.slice(0, -1)), deed ?? verb].join(".")
}
