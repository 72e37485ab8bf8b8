import * as Changes from "#layers/http/Changes.ts"
import * as Group from "#layers/http/Group.ts"
import { pagingOf } from "#layers/http/Paging.ts"
import { shown } from "#layers/http/Rehearsed.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { summary } from "#layers/http/TemplateSummaries.ts"
import type { ContentMutation, TemplateResponse, TemplateVersion, TemplateWrite } from "#schemas/api/Notifications.ts"
import { defaultLimit } from "#schemas/api/Query.ts"
import { elementalVersion, TemplateState, versionName } from "#schemas/Template.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { optional } from "#schemas/Optional.ts"
import { BadRequest } from "#schemas/api/Errors.ts"
import { inside } from "#src/content/ContentRefused.ts"
import * as ContentEdits from "#src/content/ContentEdits.ts"
import { author } from "#src/content/Author.ts"
import { withChecksums } from "#src/content/Checksums.ts"
import { type TemplateDraft, type TemplateRecord, Templates, type VersionRecord } from "#src/content/Templates.ts"
import { Previews } from "#src/delivery/Previews.ts"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const decodeState = Schema.decodeUnknownEffect(optional(TemplateState))

/** Pages of versions hold ten, whatever limit is asked for. */
const versionsLimit = 10

const drafted = ({ notification: { alias, ...template }, state }: typeof TemplateWrite.Type): TemplateDraft => ({
  template,
  alias,
  publish: state === "PUBLISHED"
})

const response = ({ template, updated, ...record }: TemplateRecord): TemplateResponse => ({
  ...record,
  ...template,
  creator: author,
  updated,
  updater: updated === undefined ? undefined : author
})

const version = ({ created, hasChanges, live, number }: VersionRecord): TemplateVersion => ({
  version: number === undefined ? "draft" : live ? `published:${versionName(number)}` : versionName(number),
  created,
  creator: author,
  has_changes: hasChanges
})

const contentOf = ({ template: { content } }: TemplateRecord) => ({
  version: content.version ?? elementalVersion,
  elements: content.elements.map(withChecksums)
})

const mutation = (record: TemplateRecord): typeof ContentMutation.Type => {
  const { elements, version } = contentOf(record)
  return {
    id: record.id,
    version,
    state: record.state,
    elements: elements.map(({ checksum, id }) => ({ id: typeof id === "string" ? id : "", checksum }))
  }
}

const isPublished = (state: TemplateState | null | undefined): boolean => state === "PUBLISHED"

/** Reads `state`, which stands beside an element's own members, where no schema reads it. */
const stateOf = (given: Schema.Json | undefined) =>
  Effect.mapError(decodeState(given), () => new BadRequest({ message: "state: Expected DRAFT or PUBLISHED" }))

/** /notifications. */
export const layer = Group.layer(Effect.gen(function*() {
  const templates = yield* Templates
  const previews = yield* Previews
  return HttpApiBuilder.group(Served, "notifications", (handlers) =>
    handlers.handleAll({
      preview: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        const { brand_id: brandId, channels, data, to, version } = payload
        const results = yield* previews.show(scope, params.id, {
          version: version ?? "draft",
          to: to ?? {},
          data: data ?? {},
          brandId: brandId ?? undefined,
          channels: channels ?? []
        })
        return { results: results.map(shown) }
      }, refusals),
      list: Effect.fnUntraced(function*({ query: { cursor, event_id: alias, limit = defaultLimit } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* templates.list(scope, { limit, cursor, alias })
        return { paging: pagingOf(page), results: page.items.map(summary) }
      }, refusals),
      create: Effect.fnUntraced(function*({ payload }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* inside("notification")(templates.create(scope, drafted(payload))))
      }, refusals),
      get: Effect.fnUntraced(function*({ params, query: { version = "published" } }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* templates.get(scope, params.id, version))
      }, refusals),
      replace: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* inside("notification")(templates.replace(scope, params.id, drafted(payload))))
      }, refusals),
      archive: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* templates.archive(scope, params.id)
      }, refusals),
      versions: Effect.fnUntraced(function*({ params, query: { cursor, limit = versionsLimit } }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* templates.versions(scope, params.id, { limit, cursor })
        return { paging: pagingOf(page), versions: page.items.map(version) }
      }, refusals),
      publish: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        yield* Changes.noted(templates.publish(scope, params.id, payload?.version ?? undefined))
      }, refusals),
      getContent: Effect.fnUntraced(function*({ params, query: { version = "published" } }) {
        const { scope } = yield* CurrentPrincipal
        return contentOf(yield* templates.get(scope, params.id, version))
      }, refusals),
      putContent: Effect.fnUntraced(function*({ params, payload: { content, state } }) {
        const { scope } = yield* CurrentPrincipal
        return mutation(
          yield* templates.editContent(scope, params.id, () => Effect.succeed(content), isPublished(state))
        )
      }, refusals),
      putElement: Effect.fnUntraced(function*({ params: { element_id, id }, payload: { state, ...element } }) {
        const { scope } = yield* CurrentPrincipal
        const publish = isPublished(yield* stateOf(state))
        const edit = ContentEdits.putElement(id, element_id, element)
        return mutation(yield* refusals(templates.editContent(scope, id, edit, publish)))
      }),
      putLocale: Effect.fnUntraced(function*({ params, payload: { elements, state } }) {
        const { scope } = yield* CurrentPrincipal
        const edit = ContentEdits.putLocale(params.id, params.locale_id, elements)
        return mutation(yield* templates.editContent(scope, params.id, edit, isPublished(state)))
      }, refusals)
    }))
}))
