import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { inScope, type State, type TemplateRow } from "#layers/memory/State.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import { Template } from "#schemas/Template.ts"
import { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { Effect, Schema } from "effect"

const decodeStrategy = Schema.decodeEffect(Schema.fromJsonString(RoutingStrategy))
const decodeTemplate = Schema.decodeEffect(Schema.fromJsonString(Template))
const decodeTenantTemplate = Schema.decodeEffect(Schema.fromJsonString(TenantTemplate))

/** The text of a template's live version. */
export const liveOf = ({ live, versions }: TemplateRow): string | undefined =>
  live === undefined ? undefined : versions[live - 1]?.template

/** The templates of an environment that are not archived, each as its draft and as it is live. */
export const templates = (state: State, scope: Scope) =>
  orUnavailable(
    Effect.forEach(
      inScope(state.templates, scope).flatMap((row) =>
        row.archived ? [] : [row.draft, liveOf(row)].flatMap((text) => text === undefined ? [] : [{ id: row.id, text }])
      ),
      ({ id, text }) => Effect.map(decodeTemplate(text), (template) => ({ id, template }))
    )
  )

/** The routing strategies of an environment. */
export const strategies = (state: State, scope: Scope) =>
  orUnavailable(
    Effect.forEach(
      inScope(state.strategies, scope),
      ({ id, strategy }) => Effect.map(decodeStrategy(strategy), (way) => ({ id, way }))
    )
  )

/** The templates of its tenants, each as it is live and as it is latest. */
export const tenantTemplates = (state: State, scope: Scope) =>
  orUnavailable(
    Effect.forEach(
      inScope(state.tenantTemplates, scope).flatMap(({ id, live, tenantId, versions }) =>
        [live === undefined ? undefined : versions[live - 1], versions.at(-1)].flatMap((text) =>
          text === undefined ? [] : [{ id, tenantId, text }]
        )
      ),
      ({ text, ...template }) => Effect.map(decodeTenantTemplate(text), (way) => ({ ...template, way }))
    )
  )
