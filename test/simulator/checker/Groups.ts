import type { Change } from "#layers/testing/History.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import { lists } from "../People.ts"
import { type Facts, type Span, spans } from "./Facts.ts"

type Named = typeof Recipient.Encoded

/** Whether a group is there, and who is in it. */
export interface Members {
  readonly isThere: boolean
  readonly users: ReadonlySet<string>
}

const kinds = ["list_id", "tenant_id", "audience_id"] as const

/** The group that a recipient names; `undefined`: it is a person, or an address. */
export const named = (to: Named): string | undefined =>
  [to.user_id, to.email, to.phone_number].some((name) => typeof name === "string")
    ? undefined
    : kinds.map((kind) => to[kind]).find((id) => typeof id === "string")

const withUser = (users: ReadonlySet<string>, user: string): ReadonlySet<string> => new Set([...users, user])
const withoutUser = (users: ReadonlySet<string>, user: string): ReadonlySet<string> =>
  new Set([...users].filter((one) => one !== user))

const ofList = (listId: string) => (change: Change, { isThere, users }: Members): Members | undefined => {
  if (!("listId" in change) || change.listId !== listId) return undefined
  switch (change._tag) {
    case "DeleteList":
      return { isThere: false, users }
    case "RestoreList":
      return { isThere: true, users }
    case "Subscribe":
      return { isThere: true, users: withUser(users, change.userId) }
    case "Unsubscribe":
      return { isThere, users: withoutUser(users, change.userId) }
  }
}

const ofTenant = (tenantId: string) => (change: Change, { isThere, users }: Members): Members | undefined => {
  if (!("tenantId" in change) || change.tenantId !== tenantId) return undefined
  switch (change._tag) {
    case "Join":
      return { isThere, users: withUser(users, change.userId) }
    case "Leave":
      return { isThere, users: withoutUser(users, change.userId) }
    case "PutTenant":
      return { isThere: true, users }
    case "DeleteTenant":
      return { isThere: false, users: new Set() }
    case "Prefer":
      return undefined
  }
}

/** What the filters of `Grouped.ts` ask for, and what they ask of. */
interface Judged {
  readonly isThere: boolean
  /** The plan that is asked for; `undefined`: who is in the tenant `acme`. */
  readonly plan: string | undefined
  readonly plans: ReadonlyMap<string, unknown>
  readonly acme: Members
}

const judged = ({ acme, isThere, plan, plans }: Judged): Members => ({
  isThere,
  users: new Set(
    [...plans].flatMap(([user, has]) => (plan === undefined ? acme.users.has(user) : has === plan) ? [user] : [])
  )
})

const ofAudience = (audienceId: string) => (change: Change, now: Judged): Judged | undefined => {
  switch (change._tag) {
    case "PutProfile":
      return { ...now, plans: new Map([...now.plans, [change.userId, change.profile["plan"]]]) }
    case "PutAudience": {
      const value = change.audience.filter?.value
      return change.audienceId === audienceId
        ? { ...now, isThere: true, plan: typeof value === "string" ? value : undefined }
        : undefined
    }
    case "DeleteAudience":
      return change.audienceId === audienceId ? { ...now, isThere: false } : undefined
    default: {
      const acme = ofTenant("acme")(change, now.acme)
      return acme === undefined ? undefined : { ...now, acme }
    }
  }
}

/** The members of the group that a recipient names, one span after the other; `undefined`: it names none. */
export const membersOf = (
  { history }: Facts,
  scope: number,
  to: Named
): ReadonlyArray<Span<Members>> | undefined => {
  if (named(to) === undefined) return undefined
  const { audience_id: audience, list_id: list, tenant_id: tenant } = to
  const { audiences = {}, profiles = {}, tenants = {} } = history.given
  const inTenant = (id: string): Members => ({
    isThere: id in tenants,
    users: new Set(
      (tenants[id]?.members ?? []).map((member) => typeof member === "string" ? member : member.user_id)
    )
  })
  if (typeof list === "string") {
    return spans<Members>(history, scope, { isThere: true, users: new Set(lists[list]) }, ofList(list))
  }
  if (typeof tenant === "string") return spans(history, scope, inTenant(tenant), ofTenant(tenant))
  const id = typeof audience === "string" ? audience : ""
  const value = audiences[id]?.filter?.path === "plan" ? audiences[id].filter.value : undefined
  const first: Judged = {
    isThere: id in audiences,
    plan: typeof value === "string" ? value : undefined,
    plans: new Map(Object.entries(profiles).map(([user, profile]) => [user, profile["plan"]])),
    acme: inTenant("acme")
  }
  return spans(history, scope, first, ofAudience(id)).map((span) => ({ ...span, value: judged(span.value) }))
}
