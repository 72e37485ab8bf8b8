import type { Change } from "#layers/testing/History.ts"
import * as ImpossibleGiven from "#layers/testing/ImpossibleGiven.ts"
import { typeOf } from "#layers/testing/Mistakes.ts"
import { unknown } from "#layers/testing/Unknown.ts"
import { Token } from "#schemas/DeviceToken.ts"
import { GroupId, Id } from "#schemas/Id.ts"
import { ListId } from "#schemas/List.ts"
import { Locale } from "#schemas/Locale.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { UserId } from "#schemas/Profile.ts"
import { TopicSetting } from "#schemas/Preferences.ts"
import { sentence } from "#schemas/SchemaRefusal.ts"
import { LimitPath } from "#schemas/SendLimit.ts"
import { Predicate, Result, Schema } from "effect"

/** What exists in an environment, and so can be changed. */
export interface There {
  readonly topic: (id: string) => boolean
  readonly tenant: (id: string) => boolean
  readonly list: (id: string) => boolean
  readonly template: (id: string) => boolean
  readonly providers: ReadonlyArray<string>
}

/** What each id names, and what it has to be. */
const ids = {
  userId: { of: "user", is: Schema.is(UserId) },
  listId: { of: "list", is: Schema.is(ListId) },
  tenantId: { of: "tenant", is: Schema.is(GroupId) },
  audienceId: { of: "audience", is: Schema.is(GroupId) },
  templateId: { of: "template", is: Schema.is(Id) },
  requestId: { of: "request", is: Schema.is(MessageId) },
  locale: { of: "locale", is: Schema.is(Locale) },
  token: { of: "token", is: Schema.is(Token) }
}

/** What a change of this kind may say besides its kind. */
type Said<C, Tag> = C extends { readonly _tag: infer T } ? Tag extends T ? Exclude<keyof C, "_tag"> : never : never

/** All that each may say. Typed as a record of all, so that nothing can be forgotten here. */
const names: { readonly [Tag in Change["_tag"]]: Readonly<Record<Said<Change, Tag>, true>> } = {
  Prefer: { userId: true, topicId: true, status: true, tenantId: true, has_custom_routing: true, custom_routing: true },
  PutProfile: { userId: true, profile: true },
  DeleteProfile: { userId: true },
  Subscribe: { listId: true, userId: true },
  Unsubscribe: { listId: true, userId: true },
  DeleteList: { listId: true },
  RestoreList: { listId: true },
  Join: { tenantId: true, userId: true },
  Leave: { tenantId: true, userId: true },
  PutTenant: { tenantId: true, tenant: true },
  DeleteTenant: { tenantId: true },
  PutAudience: { audienceId: true, audience: true },
  DeleteAudience: { audienceId: true },
  Publish: { templateId: true, template: true },
  Archive: { templateId: true },
  Translate: { locale: true, po: true },
  PutToken: { userId: true, token: true, device: true },
  DeleteToken: { userId: true, token: true },
  PutSendLimit: { per: true, period: true, limit: true },
  DeleteSendLimit: { per: true, period: true },
  Resume: { requestId: true },
  Configure: { provider: true },
  Withdraw: { provider: true }
}

/** The ids that each names. Typed as a record of all, so that a new one cannot be forgotten here. */
const tags: Readonly<Record<Change["_tag"], ReadonlyArray<keyof typeof ids>>> = {
  Prefer: ["userId"],
  PutProfile: ["userId"],
  DeleteProfile: ["userId"],
  Subscribe: ["listId", "userId"],
  Unsubscribe: ["listId", "userId"],
  DeleteList: ["listId"],
  RestoreList: ["listId"],
  Join: ["tenantId", "userId"],
  Leave: ["tenantId", "userId"],
  PutTenant: ["tenantId"],
  DeleteTenant: ["tenantId"],
  PutAudience: ["audienceId"],
  DeleteAudience: ["audienceId"],
  Publish: ["templateId"],
  Archive: ["templateId"],
  Translate: ["locale"],
  PutToken: ["userId", "token"],
  DeleteToken: ["userId", "token"],
  PutSendLimit: [],
  DeleteSendLimit: [],
  Resume: ["requestId"],
  Configure: [],
  Withdraw: []
}

const isLimit = Schema.is(LimitPath)
const decodeSetting = Schema.decodeUnknownResult(TopicSetting, { errors: "all" })

const preferenceFault = (change: Change): string | undefined => {
  const decoded = decodeSetting(change)
  return Result.isFailure(decoded) ? sentence(decoded.failure.issue) : undefined
}

/** What a change says of something that no such thing can be, in words. */
const wrong = (change: Change): string | undefined => {
  const refused = (what: string, fault: string | undefined) => fault === undefined ? undefined : `${what}: ${fault}`
  switch (change._tag) {
    case "Prefer":
      if (change.status !== "OPTED_IN" && change.status !== "OPTED_OUT")
        return "a status that is neither OPTED_IN nor OPTED_OUT"
      return refused("a preference that is none", preferenceFault(change))
    case "PutProfile":
      return refused(
        "a profile that no user has",
        ImpossibleGiven.ofEntry("profiles", change.userId, change.profile)
      )
    case "PutTenant":
      return refused("a tenant that is none", ImpossibleGiven.ofTenant(change.tenantId, change.tenant))
    case "PutAudience":
      return refused(
        "an audience that is none",
        ImpossibleGiven.ofAudience(change.audienceId, change.audience)
      )
    case "Publish":
      return refused(
        "a template that is none",
        ImpossibleGiven.ofEntry("templates", change.templateId, change.template)
      )
    case "Translate":
      return refused(
        "a translation that is none",
        ImpossibleGiven.ofTranslation(change.locale, change.po)
      )
    case "PutToken":
      return refused("a device that is none", ImpossibleGiven.ofDevice(change.token, change.device))
    case "PutSendLimit":
      return refused(
        "a send limit that is none",
        ImpossibleGiven.ofLimit(`${change.per}/${change.period}`, change.limit)
      )
    case "DeleteSendLimit":
      return isLimit(`${change.per}/${change.period}`) ? undefined : "a send limit that is none"
    default:
      return undefined
  }
}

/**
 * What a change refers to, in words, if that does not exist. A user need not exist, nor a list that is subscribed to:
 * the API creates it.
 */
const missing = (change: Change, there: There): string | undefined => {
  switch (change._tag) {
    case "Prefer":
      return there.topic(change.topicId) ? undefined : "a topic that is none of options.given.topics"
    case "Join":
      return there.tenant(change.tenantId)
        ? undefined
        : "a tenant that is none of options.given.tenants, and that no PutTenant made"
    case "Unsubscribe":
    case "DeleteList":
    case "RestoreList":
      return there.list(change.listId) ? undefined : "a list that neither options.given.lists nor a Subscribe made"
    case "Publish":
    case "Archive":
      return there.template(change.templateId) ? undefined : "a template that is none of options.given.templates"
    case "Configure":
    case "Withdraw":
      return there.providers.includes(change.provider) ? undefined : `none of ${there.providers.join(", ")}`
    default:
      return undefined
  }
}

/** Why a change could never have any effect, in a sentence: that is a mistake in the story. */
export const of = (change: Change, there: There): string | undefined => {
  if (!Predicate.isObject(change)) {
    return `A change has to be an object such as { _tag: "DeleteProfile", userId: "ada" }, and is of type ${
      typeOf(change)
    }`
  }
  if (!Object.hasOwn(tags, change._tag))
    return `The change ${JSON.stringify(change)} is none of ${Object.keys(tags).join(", ")}`
  const [unsaid] = unknown(`The change ${change._tag}`, change, { _tag: true, ...names[change._tag] })
  if (unsaid !== undefined) return unsaid
  const bad = tags[change._tag].find((name) => !ids[name].is(Reflect.get(change, name)))
  const what = bad === undefined ? wrong(change) ?? missing(change, there) : `a ${ids[bad].of} by what is no id`
  return what === undefined ? undefined : `The change ${JSON.stringify(change)} names ${what}`
}
