import * as OverriddenTopics from "#layers/memory/OverriddenTopics.ts"
import type { Audienced } from "#layers/testing/Audienced.ts"
import * as Given from "#layers/testing/Given.ts"
import type { Change } from "#layers/testing/History.ts"
import type { Shared } from "#layers/testing/Shared.ts"
import type { make as makeVendors } from "#layers/testing/Vendors.ts"
import { TokenWrite } from "#schemas/DeviceToken.ts"
import { ListId } from "#schemas/List.ts"
import { MessageId } from "#schemas/MessageId.ts"
import { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import { once } from "#src/cache/Once.ts"
import { Templates } from "#src/content/Templates.ts"
import { defaultDomain, Translations } from "#src/content/Translations.ts"
import { Expansions } from "#src/delivery/expansion/Expansions.ts"
import * as AudienceRules from "#src/people/AudienceRules.ts"
import { DeviceTokens } from "#src/people/DeviceTokens.ts"
import { Lists } from "#src/people/Lists.ts"
import { SendLimits } from "#src/flows/SendLimits.ts"
import { Memberships } from "#src/people/Memberships.ts"
import { Profiles } from "#src/people/Profiles.ts"
import { Tenants } from "#src/people/Tenants.ts"
import * as TopicPreferences from "#src/people/TopicPreferences.ts"
import { Context, Effect, Layer, Schema } from "effect"

/**
 * Topic preferences go through the service that the API uses, because that refuses some of them. It is built when a
 * story first needs it; building is synchronous.
 */
const preferences = (services: Context.Context<Shared>) => (): TopicPreferences.TopicPreferences["Service"] =>
  Effect.runSync(
    Effect.provide(
      TopicPreferences.TopicPreferences,
      Layer.fresh(TopicPreferences.layer.pipe(Layer.provide(OverriddenTopics.layer)))
    ).pipe(Effect.provideContext(services))
  )

const decodeDevice = Schema.decodeUnknownEffect(TokenWrite)

/** What the store does of a change, as one step; it fails where the API would refuse it. */
export const make = (options: {
  readonly services: Context.Context<Shared>
  readonly audienced: () => Audienced
  readonly vendors: ReturnType<typeof makeVendors>
}) => {
  const { audienced, services, vendors } = options
  const devices = Context.get(services, DeviceTokens)
  const expansions = Context.get(services, Expansions)
  const limits = Context.get(services, SendLimits)
  const lists = Context.get(services, Lists)
  const memberships = Context.get(services, Memberships)
  const profiles = Context.get(services, Profiles)
  const templates = Context.get(services, Templates)
  const tenants = Context.get(services, Tenants)
  const translations = Context.get(services, Translations)
  const topics = once(preferences(services))

  return (scope: Scope, change: Change): Effect.Effect<unknown, unknown> => {
    switch (change._tag) {
      case "Prefer": {
        const { custom_routing, has_custom_routing, status, tenantId, topicId, userId } = change
        const setting = { status, has_custom_routing, custom_routing }
        return topics().put({ scope, userId: UserId.make(userId), tenantId }, { topicId, setting })
      }
      case "PutProfile":
        return profiles.replace(scope, UserId.make(change.userId), change.profile)
      case "DeleteProfile":
        return profiles.remove(scope, UserId.make(change.userId))
      case "Subscribe":
        return lists.subscribe(scope, ListId.make(change.listId), [
          { userId: UserId.make(change.userId), preferences: undefined }
        ])
      case "Unsubscribe":
        return lists.removeSubscription(scope, change.listId, UserId.make(change.userId))
      case "DeleteList":
        return lists.remove(scope, change.listId)
      case "RestoreList":
        return lists.restore(scope, change.listId)
      case "Join":
        return memberships.put(scope, change.userId, [{ tenantId: change.tenantId, profile: null }])
      case "Leave":
        return memberships.remove(scope, change.userId, change.tenantId)
      case "PutTenant":
        return tenants.replace(scope, change.tenantId, change.tenant)
      case "DeleteTenant":
        return tenants.remove(scope, change.tenantId)
      case "PutAudience": {
        const { audience, audienceId } = change
        return Effect.flatMap(
          Effect.fromResult(AudienceRules.draft(audienceId, audience)),
          (draft) => audienced().audiences.put(scope, audienceId, draft)
        )
      }
      case "DeleteAudience":
        return audienced().audiences.remove(scope, change.audienceId)
      case "Publish": {
        const { template, templateId } = change
        return templates.replace(scope, templateId, {
          template: Given.templateOf(templateId, template),
          alias: undefined,
          publish: true
        })
      }
      case "Archive":
        return templates.archive(scope, change.templateId)
      case "Translate":
        return translations.put(scope, defaultDomain, change.locale, change.po)
      case "PutToken": {
        const { device, token, userId } = change
        return Effect.flatMap(
          decodeDevice(device),
          (write) => devices.register(scope, UserId.make(userId), [{ token, write }])
        )
      }
      case "DeleteToken":
        return devices.remove(scope, UserId.make(change.userId), change.token)
      case "PutSendLimit":
        return limits.put(scope, change, change.limit)
      case "DeleteSendLimit":
        return limits.remove(scope, change)
      case "Resume":
        return expansions.resume(scope, MessageId.make(change.requestId))
      case "Configure":
        return Effect.sync(() => vendors.configure(scope, change.provider))
      case "Withdraw":
        return Effect.sync(() => vendors.withdraw(scope, change.provider))
    }
  }
}
