import type { Grant } from "#src/access/Grant.ts"

/** A request as its route sees it: the segments of its path, parameters filled in. */
export interface Asked {
  readonly method: string
  readonly segments: ReadonlyArray<string>
}

/**
 * `messages`: allowed, but it may only see messages to the grant's users. `preferences`: allowed, but within a tenant
 * only to its members.
 */
export type Verdict = "allowed" | "refused" | "messages" | "preferences"

const ofUser = ({ scopes, userIds }: Grant, user: string | undefined, scope: string): Verdict =>
  user !== undefined && userIds.includes(user) && scopes.has(scope) ? "allowed" : "refused"

const ofBrand = ({ scopes }: Grant, brand: string | undefined, scope: string): Verdict =>
  scopes.has(scope) || (brand !== undefined && scopes.has(`${scope}:${brand}`)) ? "allowed" : "refused"

/**
 * What a user's token permits (api.md 17): the devices, preferences and inbox of its own users, messages to them, and
 * brands. Everything else needs an API key.
 */
export const judge = (grant: Grant, { method, segments: [root, id, part] }: Asked): Verdict => {
  const reads = method === "GET" || method === "HEAD"
  switch (root) {
    case "users":
      if (part === "tokens") return ofUser(grant, id, reads ? "read:user-tokens" : "write:user-tokens")
      if (part === "preferences") {
        const verdict = ofUser(grant, id, reads ? "read:preferences" : "write:preferences")
        return verdict === "allowed" ? "preferences" : verdict
      }
      if (part === "inbox") return ofUser(grant, id, reads ? "inbox:read:messages" : "inbox:write:events")
      return "refused"
    case "brands":
      if (reads) return ofBrand(grant, id, "read:brands")
      return method === "PUT" && id !== undefined ? ofBrand(grant, id, "write:brands") : "refused"
    case "messages":
      return reads && grant.scopes.has("read:messages") && grant.userIds.length > 0 ? "messages" : "refused"
    default:
      return "refused"
  }
}
