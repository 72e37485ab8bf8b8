import type { DeviceRow } from "#layers/memory/AccessState.ts"
import { Database } from "#layers/memory/Database.ts"
import { inScope, nameOf, type State } from "#layers/memory/State.ts"
import { detailsOf, mostTokens } from "#schemas/DeviceToken.ts"
import type { UserId } from "#schemas/Profile.ts"
import type { Scope } from "#schemas/Scope.ts"
import * as Text from "#schemas/Text.ts"
import * as DeviceTokenPatch from "#src/people/DeviceTokenPatch.ts"
import { type DeviceToken, DeviceTokens, expiryFrom, mostReachable, TokenNotFound } from "#src/people/DeviceTokens.ts"
import { Clock, Effect, HashMap, Layer, Option } from "effect"

/** What is told of a row. */
const tokenOf = ({ details, expires, provider, status, statusReason, token }: DeviceRow): DeviceToken => ({
  token,
  provider,
  details,
  expires,
  status,
  statusReason
})

const oldestFirst = (a: DeviceRow, b: DeviceRow): number => a.created - b.created || Text.compare(a.token, b.token)

const ofUser = (scope: Scope, userId: UserId) => (state: State): ReadonlyArray<DeviceRow> =>
  inScope(state.access.devices, scope).filter((row) => row.userId === userId).toSorted(oldestFirst)

const withRow = (state: State, row: DeviceRow): State => ({
  ...state,
  access: { ...state.access, devices: HashMap.set(state.access.devices, nameOf(row.scope, row.token), row) }
})

const without = (state: State, rows: ReadonlyArray<DeviceRow>): State =>
  rows.length === 0 ? state : {
    ...state,
    access: {
      ...state.access,
      devices: HashMap.removeMany(state.access.devices, rows.map((row) => nameOf(row.scope, row.token)))
    }
  }

/** Without the oldest of the user's other tokens, where these make them more than there may be. */
const withRoom = (state: State, scope: Scope, userId: UserId, fresh: ReadonlySet<string>): State => {
  const others = ofUser(scope, userId)(state).filter(({ token }) => !fresh.has(token))
  return without(state, others.slice(0, Math.max(0, others.length - Math.max(0, mostTokens - fresh.size))))
}

/** The state without any of the user's tokens. */
export const withoutUser = (state: State, scope: Scope, userId: UserId): State =>
  without(state, ofUser(scope, userId)(state))

/** The device tokens in memory. */
export const layer = Layer.effect(
  DeviceTokens,
  Effect.gen(function*() {
    const { read, transaction, update } = yield* Database

    const find = Effect.fnUntraced(function*(scope: Scope, userId: UserId, token: string) {
      const row = yield* read((state) => HashMap.get(state.access.devices, nameOf(scope, token)))
      return Option.isSome(row) && row.value.userId === userId ? row.value : yield* new TokenNotFound({ token })
    })

    return DeviceTokens.of({
      list: (scope, userId) => read((state) => ofUser(scope, userId)(state).map(tokenOf)),
      get: (scope, userId, token) => Effect.map(find(scope, userId, token), tokenOf),
      register: Effect.fnUntraced(function*(scope, userId, registrations) {
        const now = yield* Clock.currentTimeMillis
        yield* update((state) =>
          registrations.reduce((state, { token, write }) => {
            const known = Option.getOrUndefined(HashMap.get(state.access.devices, nameOf(scope, token)))
            return withRow(state, {
              scope,
              userId,
              token,
              provider: write.provider_key,
              details: detailsOf(write),
              expires: expiryFrom(write, now),
              status: "active",
              statusReason: undefined,
              created: known?.userId === userId ? known.created : now,
              updated: now
            })
          }, withRoom(state, scope, userId, new Set(registrations.map(({ token }) => token))))
        )
      }),
      patch: Effect.fnUntraced(function*(scope, userId, token, operations) {
        const row = yield* find(scope, userId, token)
        const now = yield* Clock.currentTimeMillis
        const patched = yield* DeviceTokenPatch.apply(row, operations, now)
        yield* update((state) => withRow(state, { ...row, ...patched, updated: now }))
      }, transaction),
      remove: Effect.fnUntraced(function*(scope, userId, token) {
        yield* update((state) => {
          const known = Option.getOrUndefined(HashMap.get(state.access.devices, nameOf(scope, token)))
          return known?.userId === userId ? without(state, [known]) : state
        })
      }),
      reachable: Effect.fnUntraced(function*(scope, userId) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* read(ofUser(scope, userId))
        return rows.toReversed()
          .filter(({ expires, status }) => status === "active" && (expires === false || expires > now))
          .slice(0, mostReachable)
          .map(({ provider, token }) => ({ provider, token }))
      }),
      invalidate: (scope, provider, token, reason, asOf = Infinity) =>
        update((state) => {
          const known = Option.getOrUndefined(HashMap.get(state.access.devices, nameOf(scope, token)))
          return known?.provider === provider && known.status === "active" && known.updated <= asOf
            ? withRow(state, { ...known, status: "failed", statusReason: reason })
            : state
        })
    })
  })
)
