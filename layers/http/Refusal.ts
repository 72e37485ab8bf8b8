import { mostSections, mostTopics } from "#schemas/Preferences.ts"
import { cut, sentence } from "#schemas/SchemaRefusal.ts"
import { BadRequest, Conflict, NotFound, Unavailable } from "#schemas/api/Errors.ts"
import { mostDefaults } from "#schemas/Tenant.ts"
import type { ElementNotFound } from "#src/content/ContentEdits.ts"
import type { ContentRefused } from "#src/content/ContentRefused.ts"
import type { SubmissionNotFound } from "#src/content/Submissions.ts"
import type { NoCatalogue } from "#src/content/Catalogue.ts"
import type { BrandExists, BrandInUse, BrandNotFound } from "#src/content/Brands.ts"
import type { BrandRefused } from "#src/content/layout/Texts.ts"
import type {
  AliasTaken,
  TemplateNotFound,
  UnknownBrand,
  UnknownStrategy,
  UnknownTopic,
  VersionNotFound
} from "#src/content/Templates.ts"
import type { TenantTemplateNotFound } from "#src/content/TenantTemplates.ts"
import type { TranslationNotFound } from "#src/content/Translations.ts"
import type { JobClosed, JobNotFound } from "#src/delivery/bulk/Jobs.ts"
import type { JobRan } from "#src/delivery/bulk/Run.ts"
import type { ConfigurationRefused } from "#src/delivery/providers/Configure.ts"
import type { SendRefused } from "#src/delivery/intake/Drafts.ts"
import type { MessageNotFound, RowRefused } from "#src/delivery/Journal.ts"
import type {
  ConfigurationAliasTaken,
  ConfigurationInUse,
  ConfigurationNotFound
} from "#src/delivery/providers/ProviderConfigurations.ts"
import type { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import type { StrategyInUse, StrategyNotFound } from "#src/delivery/providers/Strategies.ts"
import type { SendLimitNotFound } from "#src/flows/SendLimits.ts"
import type { InvalidCursor } from "#src/paging/Page.ts"
import type { TokenNotFound, TokenRefused } from "#src/people/DeviceTokens.ts"
import type { FilterRefused } from "#src/people/AudienceRules.ts"
import type { AudienceNotFound } from "#src/people/Audiences.ts"
import type { InvalidPattern } from "#src/people/ListPattern.ts"
import type { ListNotFound, SubscriptionNotFound } from "#src/people/Lists.ts"
import type { MembershipNotFound } from "#src/people/Memberships.ts"
import type { CatalogueFull, SectionNotEmpty, SectionNotFound, TopicNotFound } from "#src/people/PreferenceCatalogue.ts"
import type { LegacyPreferencesRefused } from "#src/people/LegacyPreferences.ts"
import { longestProfile, type PatchRefused, type ProfileNotFound, type ProfileTooLong } from "#src/people/Profiles.ts"
import type { SuppressionNotFound } from "#src/people/Suppressions.ts"
import type { ParentRefused, TenantNotFound, TooManyDefaults } from "#src/people/Tenants.ts"
import type { PreferencesRefused } from "#src/people/TopicPreferences.ts"
import type { AuditEventNotFound } from "#src/reports/Audit.ts"
import type { InboxItemNotFound } from "#src/reports/Inbox.ts"
import type { OutputNotFound } from "#src/reports/OutputParts.ts"
import type { RequestNotFound } from "#src/reports/MessageLog.ts"
import type { TooManyWebhooks, WebhookNotFound } from "#src/reports/Webhooks.ts"
import { Effect } from "effect"

type DomainError =
  | AliasTaken
  | AudienceNotFound
  | BrandExists
  | BrandInUse
  | BrandNotFound
  | BrandRefused
  | CatalogueFull
  | ConfigurationAliasTaken
  | ConfigurationInUse
  | ConfigurationNotFound
  | ConfigurationRefused
  | ContentRefused
  | FilterRefused
  | InboxItemNotFound
  | InvalidCursor
  | InvalidPattern
  | JobClosed
  | JobNotFound
  | JobRan
  | ListNotFound
  | MembershipNotFound
  | MessageNotFound
  | OutputNotFound
  | AuditEventNotFound
  | ElementNotFound
  | NoCatalogue
  | SubmissionNotFound
  | ParentRefused
  | LegacyPreferencesRefused
  | PatchRefused
  | PreferencesRefused
  | ProfileNotFound
  | ProfileTooLong
  | RequestNotFound
  | RowRefused
  | SectionNotEmpty
  | SectionNotFound
  | SendLimitNotFound
  | SendRefused
  | StoreUnavailable
  | StrategyInUse
  | StrategyNotFound
  | SubscriptionNotFound
  | SuppressionNotFound
  | TemplateNotFound
  | TokenNotFound
  | TokenRefused
  | TenantNotFound
  | TooManyDefaults
  | TooManyWebhooks
  | TopicNotFound
  | TenantTemplateNotFound
  | TranslationNotFound
  | UnknownBrand
  | UnknownStrategy
  | UnknownTopic
  | VersionNotFound
  | WebhookNotFound

const longestId = 100

const shown = (id: string): string => id.length > longestId ? `${id.slice(0, longestId)}…` : id

const notFound = (noun: string, id: string) => new NotFound({ message: `${noun} ${shown(id)} not found` })

const uses = {
  default: "is the default brand",
  template: "is used by a template",
  tenant: "is used by a tenant",
  "tenant template": "is used by a template of a tenant",
  strategy: "is used by a routing strategy"
} as const

/** The API's error for a refusal of the domain. */
export const inWords = (error: DomainError): BadRequest | Conflict | NotFound | Unavailable => {
  switch (error._tag) {
    case "StoreUnavailable":
      return new Unavailable({ message: "The service is not available right now" })
    case "MessageNotFound":
      return notFound("Message", error.id)
    case "InboxItemNotFound":
      return new NotFound({ message: `Message ${shown(error.id)} is not in the user's inbox` })
    case "OutputNotFound":
      return notFound(`The ${shown(error.part)} of output ${shown(error.outputId)} of message`, error.id)
    case "RequestNotFound":
      return notFound("Request", error.id)
    case "JobNotFound":
      return notFound("Bulk job", error.id)
    case "JobClosed":
      return new Conflict({ message: `Bulk job ${shown(error.id)} was run and takes no more users` })
    case "JobRan":
      return new BadRequest({ message: `Bulk job ${shown(error.id)} was run already` })
    case "ProfileNotFound":
      return notFound("User", error.userId)
    case "AudienceNotFound":
      return notFound("Audience", error.id)
    case "ListNotFound":
      return notFound("List", error.id)
    case "SubscriptionNotFound":
      return new NotFound({ message: `User ${shown(error.userId)} is not subscribed to list ${shown(error.listId)}` })
    case "MembershipNotFound":
      return new NotFound({ message: `User ${shown(error.userId)} is not in tenant ${shown(error.tenantId)}` })
    case "TemplateNotFound":
    case "TenantTemplateNotFound":
      return notFound("Notification template", error.id)
    case "VersionNotFound":
      return new NotFound({ message: `Version not found for template ${shown(error.id)}` })
    case "StrategyNotFound":
      return notFound("Routing strategy", error.id)
    case "ConfigurationNotFound":
      return notFound("Provider", error.id)
    case "AuditEventNotFound":
      return notFound("Audit event", error.id)
    case "ElementNotFound":
      return new NotFound({ message: `Element ${shown(error.id)} not found in template ${shown(error.template)}` })
    case "SubmissionNotFound":
      return notFound("Submission", error.id)
    case "SendLimitNotFound":
      return new NotFound({ message: `There is no send limit per ${error.per} and ${error.period}` })
    case "SuppressionNotFound":
      return new NotFound({ message: `${shown(error.address)} is not suppressed` })
    case "TokenNotFound":
      return notFound("Token", error.token)
    case "TranslationNotFound":
      return new NotFound({ message: `Translation ${shown(error.locale)} not found in domain ${shown(error.domain)}` })
    case "NoCatalogue":
      return new BadRequest({ message: cut(`body: ${error.detail}`) })
    case "TenantNotFound":
      return notFound("Tenant", error.id)
    case "ParentRefused":
      return new BadRequest({ message: `parent_tenant_id: ${error.detail}` })
    case "TooManyDefaults":
      return new BadRequest({ message: `A tenant has at most ${mostDefaults} default preferences` })
    case "WebhookNotFound":
      return notFound("Webhook", error.id)
    case "TooManyWebhooks":
      return new BadRequest({ message: `An environment has at most ${error.most} webhooks: delete one first` })
    case "BrandNotFound":
      return notFound("Brand", error.id)
    case "BrandRefused":
    case "ContentRefused":
      return new BadRequest({ message: cut(`${error.path}: ${error.detail}`) })
    case "BrandExists":
      return new Conflict({ message: `Brand ${shown(error.id)} already exists` })
    case "BrandInUse":
      return new Conflict({ message: `Brand ${shown(error.id)} ${uses[error.by]} and cannot be deleted` })
    case "CatalogueFull":
      return new BadRequest({
        message: error.of === "topics"
          ? `An environment has at most ${mostTopics} topics: archive one first`
          : `An environment has at most ${mostSections} preference sections: archive one first`
      })
    case "SectionNotFound":
      return notFound("Preference section", error.id)
    case "TopicNotFound":
      return notFound("Subscription topic", error.id)
    case "SectionNotEmpty":
      return new Conflict({ message: `Preference section ${shown(error.id)} has topics and cannot be archived` })
    case "PreferencesRefused":
      return new BadRequest({
        message: error.errors.map(({ reason, topicId }) => `${shown(topicId)}: ${reason}`).join("; ")
      })
    case "AliasTaken":
      return new Conflict({ message: `Another template has the alias or id ${shown(error.alias)}` })
    case "StrategyInUse":
      return new Conflict({
        message: `Routing strategy ${shown(error.id)} has associated templates and cannot be archived`
      })
    case "ConfigurationInUse":
      return new Conflict({
        message: `Provider ${shown(error.id)} is used by ${shown(error.by)} and cannot be deleted`
      })
    case "UnknownBrand":
      return new BadRequest({ message: `Brand ${shown(error.id)} not found` })
    case "UnknownStrategy":
      return new BadRequest({ message: `Routing strategy ${shown(error.id)} not found` })
    case "UnknownTopic":
      return new BadRequest({ message: `Topic ${shown(error.id)} not found` })
    case "ConfigurationAliasTaken":
      return new BadRequest({ message: `alias: Another provider has the alias ${shown(error.alias)}` })
    case "ConfigurationRefused":
    case "LegacyPreferencesRefused":
    case "TokenRefused":
      return new BadRequest({ message: sentence(error.issue) })
    case "InvalidCursor":
      return new BadRequest({ message: "Invalid cursor format" })
    case "RowRefused":
      return new BadRequest({ message: "The request holds a value that cannot be stored" })
    case "ProfileTooLong":
      return new BadRequest({ message: `The profile would be longer than ${longestProfile} characters of JSON` })
    case "InvalidPattern":
      return new BadRequest({ message: `pattern: ${error.detail}` })
    case "FilterRefused":
    case "PatchRefused":
    case "SendRefused":
      return new BadRequest({ message: cut(error.detail) })
  }
}

/** Turns the refusals of the domain into the API's errors. */
export const refusals = <A, E extends DomainError, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, inWords)
