import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { inScope, type State } from "#layers/memory/State.ts"
import { RoutingStrategy } from "#schemas/RoutingStrategy.ts"
import type { Scope } from "#schemas/Scope.ts"
import { TenantTemplate } from "#schemas/TenantTemplate.ts"
import { Effect, Schema } from "effect"

const decodeStrategy = Schema.decodeEffect(Schema.fromJsonString(RoutingStrategy))
const decodeTemplate = Schema.decodeEffect(Schema.fromJsonString(TenantTemplate))

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
      ({ text, ...template }) => Effect.map(decodeTemplate(text), (way) => ({ ...template, way }))
    )
  )
