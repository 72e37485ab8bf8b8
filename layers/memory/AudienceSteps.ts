import { Database } from "#layers/memory/Database.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import { AudienceFilter } from "#schemas/Audience.ts"
import { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import { Clock, Effect, HashMap, Layer, Schema } from "effect"

const decodeFilter = Schema.decodeEffect(Schema.fromJsonString(AudienceFilter))
const decodeProfile = Schema.decodeEffect(Schema.fromJsonString(Profile))

/** Whether all profiles and memberships are judged as they are now, by audiences as they are now. */
export const isJudged = ({ audiences: { judged, rows }, profiles, tenantUsers }: State): boolean =>
  judged !== undefined && judged.rows === rows && judged.profiles === profiles && judged.tenantUsers === tenantUsers

/** The users of a scope with their profiles, as they are named in the state. */
const usersOf = (state: State, scope: Scope) => {
  const start = nameOf(scope, "")
  return Array.from(state.profiles).flatMap(([name, profile]) =>
    name.startsWith(start) ? [{ userId: name.slice(start.length), profile }] : []
  )
}

/** The steps in memory: everything is judged anew after any change, which is right at once, and fast enough for few. */
export const layer = Layer.effect(
  AudienceSteps,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database

    const inOne = Effect.fnUntraced(function*(state: State, scope: Scope) {
      const audiences = yield* Effect.forEach(
        inScope(state.audiences.rows, scope),
        ({ filter, id, version }) =>
          Effect.map(
            filter === undefined ? Effect.undefined : decodeFilter(filter),
            (decoded) => ({ id, version, filter: decoded })
          )
      )
      const memberships = inScope(state.tenantUsers, scope)
      const users = yield* Effect.forEach(
        usersOf(state, scope),
        ({ profile, userId }) =>
          Effect.map(decodeProfile(profile), (decoded) => ({
            userId,
            subject: {
              profile: decoded,
              tenants: memberships.filter((row) => row.userId === userId).map((row) => row.tenantId)
            }
          }))
      )
      const before = state.audiences.members.filter((member) => member.scope === scope)
      const { put, removed } = yield* AudienceChange.between(audiences, users, before)
      const now = yield* Clock.currentTimeMillis
      const isOf = (member: AudienceChange.Standing) => (other: AudienceChange.Standing) =>
        other.audienceId === member.audienceId && other.userId === member.userId
      const fresh = put.map((member) => ({ ...member, scope, added: before.find(isOf(member))?.added ?? now }))
      const kept = before.filter((member) => !removed.some(isOf(member)) && !put.some(isOf(member)))
      return [...kept, ...fresh]
    }, orUnavailable)

    const step = Effect.gen(function*() {
      const state = yield* read((current) => current)
      if (isJudged(state)) return false
      const { audiences: { members, rows }, profiles, tenantUsers } = state
      const scopes = new Set([...Array.from(HashMap.values(rows)), ...members].map((row) => row.scope))
      const judged = yield* Effect.forEach(scopes, (scope) => inOne(state, scope))
      yield* update((current) => ({
        ...current,
        audiences: { rows, members: judged.flat(), judged: { rows, profiles, tenantUsers } }
      }))
      return true
    })

    return AudienceSteps.of({ advance: transaction(step) })
  })
)
