import { Database } from "#layers/memory/Database.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import { orUnavailable } from "#layers/memory/StoreErrors.ts"
import * as Told from "#layers/memory/webhooks/Told.ts"
import { AudienceFilter } from "#schemas/Audience.ts"
import { Profile } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as AudienceChange from "#src/people/AudienceChange.ts"
import { AudienceSteps } from "#src/people/AudienceSteps.ts"
import * as Others from "#src/reports/webhooks/Others.ts"
import { Clock, Effect, HashMap, Layer, Option, Schema } from "effect"

const decodeFilter = Schema.decodeEffect(Schema.fromJsonString(AudienceFilter))
const decodeProfile = Schema.decodeEffect(Schema.fromJsonString(Profile))

/** Whether all profiles and memberships are judged as they are now, by audiences as they are now. */
export const isJudged = ({ audiences: { judged, rows }, profiles, tenantUsers }: State): boolean =>
  judged !== undefined && judged.rows === rows && judged.profiles === profiles && judged.tenantUsers === tenantUsers

/** Whether an audience was written since all were judged. */
const isNew = ({ audiences: { judged, rows } }: State, name: string): boolean =>
  Option.getOrUndefined(HashMap.get(judged?.rows ?? HashMap.empty(), name)) !==
    Option.getOrUndefined(HashMap.get(rows, name))

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
      const { joined, put, removed } = yield* AudienceChange.between(audiences, users, before)
      const now = yield* Clock.currentTimeMillis
      const isOf = (member: AudienceChange.Standing) => (other: AudienceChange.Standing) =>
        other.audienceId === member.audienceId && other.userId === member.userId
      const fresh = put.map((member) => ({ ...member, scope, added: before.find(isOf(member))?.added ?? now }))
      const kept = before.filter((member) => !removed.some(isOf(member)) && !put.some(isOf(member)))
      const members = [...kept, ...fresh]
      const counted = audiences.filter(({ id }) => isNew(state, nameOf(scope, id)))
      const others = [
        ...joined.map(Others.matched),
        ...removed.map(Others.unmatched),
        ...counted.map(({ id }) =>
          Others.calculated(id, members.filter(({ audienceId }) => audienceId === id).length, users.length)
        )
      ]
      return {
        members,
        told: (current: State) => others.reduce((next, one) => Told.other(next, scope, one, now), current)
      }
    }, orUnavailable)

    const step = Effect.gen(function*() {
      const state = yield* read((current) => current)
      if (isJudged(state)) return false
      const { audiences: { members, rows }, profiles, tenantUsers } = state
      const scopes = new Set([...Array.from(HashMap.values(rows)), ...members].map((row) => row.scope))
      const judged = yield* Effect.forEach(scopes, (scope) => inOne(state, scope))
      yield* update((current) => {
        const after: State = {
          ...current,
          audiences: { rows, members: judged.flatMap((one) => one.members), judged: { rows, profiles, tenantUsers } }
        }
        return judged.reduce((next, { told }) => told(next), after)
      })
      return true
    })

    return AudienceSteps.of({ advance: transaction(step) })
  })
)
