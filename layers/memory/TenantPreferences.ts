import { Database } from "#layers/memory/Database.ts"
import { nameOf, type State } from "#layers/memory/State.ts"
import { TopicSetting } from "#schemas/Preferences.ts"
import type { Scope } from "#schemas/Scope.ts"
import { chainLength } from "#schemas/Tenant.ts"
import { StoreUnavailable } from "#src/delivery/StoreUnavailable.ts"
import { TenantPreferences } from "#src/people/TenantPreferences.ts"
import { Effect, HashMap, Layer, Option, Schema } from "effect"

const decode = Schema.decodeEffect(Schema.fromJsonString(TopicSetting))

/** The tenant and its ancestors, nearest first. */
const lineOf = (scope: Scope, tenantId: string) => (state: State) => {
  const line = []
  for (let id: string | undefined = tenantId; id !== undefined && line.length < chainLength;) {
    const tenant: Option.Option<HashMap.HashMap.Value<State["tenants"]>> = HashMap.get(state.tenants, nameOf(scope, id))
    if (Option.isNone(tenant)) break
    line.push(tenant.value)
    id = tenant.value.parentId
  }
  return line
}

/** Tenants' defaults in memory. */
export const layer = Layer.effect(
  TenantPreferences,
  Effect.gen(function*() {
    const { read } = yield* Database
    return TenantPreferences.of({
      chain: Effect.fnUntraced(function*(scope, tenantId, topicId) {
        const line = yield* read(lineOf(scope, tenantId))
        const set = line.flatMap(({ id, preferences }) => {
          const text = preferences.get(topicId)
          return text === undefined ? [] : [{ id, text }]
        })
        return yield* Effect.forEach(
          set,
          ({ id, text }) => Effect.map(decode(text), (setting) => ({ ...setting, tenantId: id }))
        )
      }, Effect.mapError((cause) => new StoreUnavailable({ cause })))
    })
  })
)
