import * as Group from "#layers/http/Group.ts"
import { whole } from "#layers/http/Paging.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import type { BulkResult, TopicPreference } from "#schemas/api/UserPreferences.ts"
import { TopicsRefused } from "#schemas/api/UserPreferences.ts"
import type { UserId } from "#schemas/Profile.ts"
import { cut } from "#schemas/SchemaRefusal.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import * as Topics from "#src/people/TopicPreferences.ts"
import type { Owner, TopicOverride } from "#src/people/UserPreferences.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

const response = (found: Topics.TopicPreference): TopicPreference => ({
  topic_id: found.topicId,
  topic_name: found.topicName,
  status: found.status,
  default_status: found.defaultStatus,
  has_custom_routing: found.channels !== undefined,
  custom_routing: found.channels ?? [],
  section_id: found.sectionId,
  section_name: found.sectionName
})

const result = ({ setting, topicId }: TopicOverride): BulkResult => ({
  topic_id: topicId,
  status: setting.status,
  has_custom_routing: setting.has_custom_routing ?? false,
  custom_routing: setting.custom_routing ?? []
})

const refusal = ({ reason, topicId }: Topics.RefusedTopic) => ({ topic_id: topicId, reason })

const asked = ({ topic_id: topicId, ...setting }: TopicOverride["setting"] & { readonly topic_id: string }) => ({
  topicId,
  setting
})

const refusedTopics = (error: Topics.PreferencesRefused) =>
  new TopicsRefused({
    message: cut(error.errors.map(({ reason, topicId }) => `${topicId}: ${reason}`).join("; ")),
    errors: error.errors.map(refusal)
  })

interface Named {
  readonly params: { readonly user_id: UserId }
  readonly query: { readonly tenant_id?: string | undefined }
}

const ownerOf = ({ params, query }: Named) =>
  Effect.map(
    CurrentPrincipal,
    ({ scope }): Owner => ({ scope, userId: params.user_id, tenantId: query.tenant_id })
  )

/** /users/:user_id/preferences. */
export const layer = Group.layer(Effect.gen(function*() {
  const topics = yield* Topics.TopicPreferences
  return HttpApiBuilder.group(Served, "userPreferences", (handlers) =>
    handlers.handleAll({
      list: (request) =>
        refusals(Effect.map(
          Effect.flatMap(ownerOf(request), topics.list),
          (items) => HttpServerResponse.jsonUnsafe({ items: items.map(response), paging: whole })
        )),
      update: Effect.fnUntraced(function*(request) {
        const { applied, refused } = yield* topics.update(
          yield* ownerOf(request),
          request.payload.topics.map(asked)
        )
        return { items: applied.map(result), errors: refused.map(refusal) }
      }, refusals),
      replace: Effect.fnUntraced(function*(request) {
        const { applied, deleted } = yield* topics.replace(
          yield* ownerOf(request),
          request.payload.topics.map(asked)
        ).pipe(Effect.catchTags({
          PreferencesRefused: (error) => Effect.fail(refusedTopics(error)),
          StoreUnavailable: (error) => refusals(Effect.fail(error))
        }))
        return { items: applied.map(result), deleted }
      }),
      get: Effect.fnUntraced(function*(request) {
        return { topic: response(yield* topics.get(yield* ownerOf(request), request.params.topic_id)) }
      }, refusals),
      put: Effect.fnUntraced(function*(request) {
        yield* topics.put(yield* ownerOf(request), {
          topicId: request.params.topic_id,
          setting: request.payload.topic
        })
        return { message: "success" as const }
      }, refusals),
      remove: Effect.fnUntraced(function*(request) {
        yield* topics.remove(yield* ownerOf(request), request.params.topic_id)
      }, refusals)
    }))
}))
