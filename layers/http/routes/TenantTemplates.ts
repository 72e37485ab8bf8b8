import * as Changes from "#layers/http/Changes.ts"
import * as Group from "#layers/http/Group.ts"
import * as ObjectLists from "#layers/http/ObjectLists.ts"
import { refusals } from "#layers/http/Refusal.ts"
import { Served } from "#layers/http/Served.ts"
import { defaultLimit } from "#schemas/api/ObjectList.ts"
import type { TenantTemplateItem, TenantTemplateResponse } from "#schemas/api/TenantTemplates.ts"
import type { Routing } from "#schemas/Routing.ts"
import { versionName } from "#schemas/TenantTemplate.ts"
import { CurrentPrincipal } from "#src/access/CurrentPrincipal.ts"
import { inside } from "#src/content/ContentRefused.ts"
import { type TenantTemplateRecord, TenantTemplates } from "#src/content/TenantTemplates.ts"
import { DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

const iso = (time: number): string => DateTime.formatIso(DateTime.makeUnsafe(time))

const when = (time: number | undefined): string | undefined => time === undefined ? undefined : iso(time)

const association = ({ created, id, published, updated, version }: TenantTemplateRecord) => ({
  id,
  version: versionName(version),
  created_at: iso(created),
  updated_at: iso(updated),
  published_at: when(published)
})

/** Stands in lists where a template has no routing of its own: the published client's type always has one there. */
const noRouting: Routing = { method: "single", channels: [] }

const item = (record: TenantTemplateRecord): TenantTemplateItem => ({
  ...association(record),
  data: { routing: record.template.routing ?? noRouting }
})

/** What is read can be written back, so that nothing stands in for what a template does not have. */
const response = (record: TenantTemplateRecord): TenantTemplateResponse => {
  const { channels, content, providers, routing } = record.template
  return {
    ...association(record),
    data: {
      routing: routing ?? undefined,
      channels: channels ?? undefined,
      providers: providers ?? undefined,
      content
    }
  }
}

/** /tenants/{tenant_id}/templates. */
export const layer = Group.layer(Effect.gen(function*() {
  const templates = yield* TenantTemplates
  return HttpApiBuilder.group(Served, "tenantTemplates", (handlers) =>
    handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query: { cursor, limit = defaultLimit }, request }) {
        const { scope } = yield* CurrentPrincipal
        const page = yield* templates.list(scope, params.tenant_id, { limit, cursor })
        return ObjectLists.answer(request.originalUrl, page, item)
      }, refusals),
      get: Effect.fnUntraced(function*({ params: { template_id: id, tenant_id: tenantId } }) {
        const { scope } = yield* CurrentPrincipal
        const found = templates.get(scope, tenantId, id, "published").pipe(
          Effect.catchTag("VersionNotFound", () => templates.get(scope, tenantId, id, "latest"))
        )
        return response(yield* found)
      }, refusals),
      put: Effect.fnUntraced(function*({ params, payload: { published, template } }) {
        const { scope } = yield* CurrentPrincipal
        const publish = published === true
        const put = templates.put(scope, params.tenant_id, params.template_id, template, publish)
        const saved = yield* inside("template")(put)
        // A typed endpoint has one status per schema; here, the store tells which of the two it is.
        return HttpServerResponse.jsonUnsafe({
          id: saved.id,
          version: versionName(saved.version),
          ...(publish ? { published_at: when(saved.published) } : {})
        }, { status: saved.isMade ? 201 : 200 })
      }, refusals),
      remove: Effect.fnUntraced(function*({ params }) {
        const { scope } = yield* CurrentPrincipal
        yield* templates.remove(scope, params.tenant_id, params.template_id)
      }, refusals),
      publish: Effect.fnUntraced(function*({ params, payload }) {
        const { scope } = yield* CurrentPrincipal
        const version = payload?.version ?? "latest"
        const live = yield* templates.publish(scope, params.tenant_id, params.template_id, version)
        yield* Changes.noted(Effect.succeed(live.changed))
        return { id: live.id, version: versionName(live.version), published_at: when(live.published) }
      }, refusals),
      version: Effect.fnUntraced(function*({ params: { template_id: id, tenant_id: tenantId, version } }) {
        const { scope } = yield* CurrentPrincipal
        return response(yield* templates.get(scope, tenantId, id, version))
      }, refusals)
    }))
}))
