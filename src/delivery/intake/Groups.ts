import { Id } from "#schemas/Id.ts"
import type { Recipient } from "#schemas/Recipient.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Recipients from "#src/delivery/intake/Recipients.ts"
import * as ListPattern from "#src/people/ListPattern.ts"
import type { Member, Source } from "#src/people/Members.ts"
import { Effect, Schema } from "effect"

/** A recipient that stands for many. `memberOf`: tenants that its members must belong to. */
export interface Group {
  readonly source: Source
  readonly memberOf: ReadonlyArray<string>
}

/** The recipient is no group that can be sent to; `path` within it. */
export class GroupRefused extends Schema.TaggedError<GroupRefused>()("GroupRefused", {
  path: Schema.String,
  detail: Schema.String
}) {}

/** Only members of a tenant: the one filter there is (api.md 2.1); `account_id` is the old name of a tenant's id. */
const Filters = Schema.Array(Schema.Struct({
  operator: Schema.Literal("MEMBER_OF"),
  path: Schema.Literals(["account_id", "tenant_id"]),
  value: Id
}))
const decodeFilters = Schema.decodeUnknownEffect(Filters)

const filtered = Effect.fnUntraced(function*(source: Source, recipient: Recipient) {
  const { filters } = recipient
  if (filters === undefined || filters === null) return { source, memberOf: [] }
  const decoded = yield* decodeFilters(filters).pipe(
    Effect.mapError(() =>
      new GroupRefused({
        path: "filters",
        detail: "Each filter is {operator: \"MEMBER_OF\", path: \"account_id\", value}"
      })
    )
  )
  return { source, memberOf: decoded.map(({ value }) => value) }
})

/**
 * The group that a recipient names, by the keys present (api.md 2.1); `undefined`: it is one person or address, or
 * nobody.
 */
export const of = Effect.fnUntraced(function*(
  recipient: Recipient
): Effect.fn.Return<Group | undefined, GroupRefused> {
  const { account_id: account, audience_id: audience, email, list_id: list, list_pattern: pattern } = recipient
  const { phone_number: phone, tenant_id: tenant, user_id: user } = recipient
  if (typeof audience === "string") return yield* filtered({ _tag: "Audience", id: audience }, recipient)
  if (typeof pattern === "string") {
    const parsed = yield* ListPattern.parse(pattern).pipe(
      Effect.mapError(({ detail }) => new GroupRefused({ path: "list_pattern", detail }))
    )
    return yield* filtered({ _tag: "Pattern", pattern: parsed }, recipient)
  }
  const isPerson = [user, email, phone].some((key) => typeof key === "string")
  if (typeof list === "string" && !isPerson) return yield* filtered({ _tag: "List", id: list }, recipient)
  if (Recipients.isDirect(recipient)) return undefined
  const id = tenant ?? account
  if (typeof id !== "string") return undefined
  return yield* filtered({ _tag: "Tenant", id, includeChildren: recipient["include_children"] === true }, recipient)
})

/** The group that a message to `nobody` stands for, in words; `undefined`: it stands for none. */
export const named = ({ audience_id: audience, list_id: list, tenant_id: tenant }: Recipient): string | undefined => {
  if (typeof audience === "string") return `The audience ${audience}`
  if (typeof list === "string") return `The list ${list}`
  return typeof tenant === "string" ? `The tenant ${tenant}` : undefined
}

/** The recipient of the one message that tells that a group does not exist: it names the group, and nobody in it. */
export const nobody = (
  scope: Scope,
  source: Exclude<Source, { readonly _tag: "Pattern" }>
): { readonly recipient: Recipient; readonly identity: Recipients.Identity } => {
  const { _tag: kind, id } = source
  return {
    recipient: kind === "Audience" ? { audience_id: id } : kind === "List" ? { list_id: id } : { tenant_id: id },
    identity: { key: `${scope}:${kind.toLowerCase()}:${id}`, name: id }
  }
}

/** A member's own recipient: what the group said of this send goes with it. */
export const member = (group: Recipient, { listId, tenantId, userId }: Omit<Member, "group">): Recipient => {
  const tenant = tenantId ?? group.tenant_id ?? group.account_id ?? group.context?.tenant_id ?? undefined
  const data = group.data ?? undefined
  return {
    user_id: userId,
    ...(listId === undefined ? {} : { list_id: listId }),
    ...(tenant === undefined ? {} : { tenant_id: tenant }),
    ...(data === undefined ? {} : { data })
  }
}
