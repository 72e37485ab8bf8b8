/** What a workspace's managers change, by the first segment of its path. Users' own data and sends are not audited. */
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
  "send-limits": "send-limit",
  "suppressions": "suppression",
  "tenants": "tenant",
  "translations": "translation",
  "webhooks": "webhook"
}

/** Last segments of paths that are a deed of their own rather than a thing. */
const deeds: Readonly<Record<string, string>> = {
  publish: "published",
  restore: "restored",
  submissions: "submitted"
}

const verbs: Readonly<Record<string, string>> = { POST: "created", PUT: "updated", PATCH: "updated", DELETE: "deleted" }

/** Paths with one of these segments change nothing that is managed: they ask or run something, or belong to users. */
const others = new Set(["cancel", "explain", "invoke", "preview", "users"])

/** The path of a deed's target: of `/notifications/:id/publish` it is `/notifications/:id`. */
export const targetOf = (path: string): string => {
  const last = path.split("/").findLast((segment) => segment !== "") ?? ""
  return Object.hasOwn(deeds, last) ? path.replace(/\/[^/]+\/?$/, "") : path
}

/**
 * The type of a route's audit event (`PUT /notifications/:id/content`: `notification.content.updated`); `undefined`:
 * the route is not audited.
 */
export const typeOf = (method: string, path: string): string | undefined => {
  const segments = path.split("/").filter((segment) => segment !== "")
  const [root = "", ...words] = segments.filter((segment) => !segment.startsWith(":"))
  const noun = Object.hasOwn(nouns, root) ? nouns[root] : undefined
  const verb = verbs[method]
  if (noun === undefined || verb === undefined || words.some((word) => others.has(word))) return undefined
  // Of subscriptions, only PUT /lists/:list_id/subscriptions is a manager's deed, which replaces all of them.
  if (words.includes("subscriptions") && (method !== "PUT" || segments.at(-1) !== "subscriptions")) return undefined
  // PUT /preferences/:recipient_id changes a user's own data.
  if (root === "preferences" && words.length === 0) return undefined
  const last = words.at(-1) ?? ""
  const deed = Object.hasOwn(deeds, last) ? deeds[last] : undefined
  return [noun, ...(deed === undefined ? words : words.slice(0, -1)), deed ?? verb].join(".")
}
